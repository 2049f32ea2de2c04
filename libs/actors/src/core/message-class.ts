/** The class of a message, an event or a signal. @publicApi */
export type MessageClass<M = unknown> = abstract new (...args: never[]) => M;
