import type { Contender } from './contender.js';

/** Loaded one at a time, because each runs in its own process. */
const LOAD = {
  ring: async () => (await import('./contenders/ring.js')).contender,
  roost: async () => (await import('./contenders/roost.js')).contender,
  'roost decorated': async () => (await import('./contenders/roost-decorated.js')).contender,
  'roost functional in Nest': async () => (await import('./contenders/roost-decorated.js')).functional,
  nact: async () => (await import('./contenders/nact.js')).contender,
  xstate: async () => (await import('./contenders/xstate.js')).contender,
  comedy: async () => (await import('./contenders/comedy.js')).contender,
  fastq: async () => (await import('./contenders/fastq.js')).contender,
  'rxjs concatMap': async () => (await import('./contenders/concat-map.js')).contender,
  'cqrs CommandBus': async () => (await import('./contenders/cqrs-command-bus.js')).contender,
  'cqrs EventBus': async () => (await import('./contenders/cqrs-event-bus.js')).contender,
  EventEmitter: async () => (await import('./contenders/event-emitter.js')).nodeEmitter,
  eventemitter2: async () => (await import('./contenders/event-emitter.js')).eventEmitter2,
} satisfies Record<string, () => Promise<Contender>>;

export type ContenderName = keyof typeof LOAD;

/** Libraries from npm, and Node's own emitter. */
export const PEERS = (Object.keys(LOAD) as ContenderName[]).filter(
  (name) => name !== 'ring' && !name.startsWith('roost'),
);

export const loadContender = (name: ContenderName): Promise<Contender> => LOAD[name]();
