/** On a class: the options of `@BackgroundProcess`. A fixed string, so that two installed copies still meet. */
export const BACKGROUND_PROCESS_METADATA = 'roost:workers:background-process';

/** What `@roost/drain` provides, if it is there: the number of requests and messages in flight, as `() => number`. */
export const IN_FLIGHT = 'roost:in-flight';
