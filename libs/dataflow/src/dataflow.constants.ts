/** The options as they were given, whichever method of the module was called. */
export const MODULE_OPTIONS = 'roost:dataflow:options';

/** The same with every default filled in. */
export const RESOLVED_OPTIONS = 'roost:dataflow:resolved-options';

/** What Nest marks injectable classes with. */
export const INJECTABLE = '__injectable__';
