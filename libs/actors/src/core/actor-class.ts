/** A decorated class. What turns it into a behavior is the option `propsOfClass` of the system; Nest's module has it. @publicApi */
export type ActorClass = abstract new (...args: never[]) => object;
