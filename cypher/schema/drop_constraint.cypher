// take out a constraint of this name and the index that belongs to it, to make both anew
// parameters: name
DROP CONSTRAINT $name IF EXISTS
