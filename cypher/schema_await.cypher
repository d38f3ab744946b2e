// waits until every index can be used
// parameters: seconds
CALL db.awaitIndexes($seconds)
