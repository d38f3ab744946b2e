// take out an index of this name, to make it anew
// parameters: name
DROP INDEX $name IF EXISTS
