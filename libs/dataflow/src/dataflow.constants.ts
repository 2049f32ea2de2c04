/** The options as they were given, whichever method of the module was called. */
export const DATAFLOW_MODULE_OPTIONS = 'roost:dataflow:options';

/** The same with every default filled in. */
export const RESOLVED_DATAFLOW_OPTIONS = 'roost:dataflow:resolved-options';
