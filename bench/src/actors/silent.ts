/** A logger for libraries that require one. */
export const silent = { debug() {}, log() {}, warn() {}, error() {} };
