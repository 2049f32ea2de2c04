/** On a class: the options of `@BackgroundProcess`. A fixed string, so that two installed copies still meet. */
export const BACKGROUND_PROCESS_METADATA = 'roost:workers:background-process';
