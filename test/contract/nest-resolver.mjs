/**
 * Jest's resolver of the contract specs. With `ROOST_NEST_DIR` Nest and rxjs come from that folder, in the versions
 * that are installed there, for the specs and for the libs alike.
 */
const { ROOST_NEST_DIR: dir } = process.env;
const NEST = /^(@nestjs\/|rxjs(\/|$))/;

export const sync = (request, options) => {
  const isOurs = dir && NEST.test(request) && !options.basedir.startsWith(dir);
  return options.defaultResolver(request, isOurs ? { ...options, basedir: dir } : options);
};
