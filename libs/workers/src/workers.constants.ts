/**
 * Metadata key for the options of `@BackgroundProcess`. A fixed string, so that two installed copies use the same key.
 */
export const BACKGROUND_PROCESS_METADATA = 'roost:workers:background-process';
