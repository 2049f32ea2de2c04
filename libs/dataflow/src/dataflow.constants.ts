/** Token of the options as the application passed them, for every static method of the module. */
export const DATAFLOW_MODULE_OPTIONS = 'roost:dataflow:options';

/** Token of the options with all defaults applied. */
export const RESOLVED_DATAFLOW_OPTIONS = 'roost:dataflow:resolved-options';
