import { ManualClock } from '@roost/time/testing';
import type { DataflowError } from '../errors/dataflow.error.js';
import { Channel } from './channel.js';
import { MemoryNetwork } from '../testing/memory-network.js';
import type { Endpoint } from './transport.js';

export const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString();
export const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));

/** One end of a channel on a network that moves step by step. */
export class Side {
  channel!: Channel;
  readonly delivered: string[] = [];
  readonly told: string[] = [];
  readonly errors: DataflowError[] = [];
  /** Number of frames sent. */
  transmitted = 0;
  /** Called after a message has been recorded. */
  onMessage: (text: string) => void = () => undefined;
  /** Called when the peer has restarted. */
  onRestart: () => void = () => undefined;

  constructor(
    readonly name: string,
    readonly peer: string,
    private readonly network: MemoryNetwork,
    private readonly clock: ManualClock,
  ) {}

  /** Starts the process, or restarts it with another incarnation. */
  async start(incarnation?: number): Promise<void> {
    // One per incarnation, because timers of an earlier incarnation must not reach the network.
    const own: { endpoint?: Endpoint } = {};
    const channel = new Channel({
      peer: this.peer,
      clock: this.clock,
      ...(incarnation !== undefined && { incarnation }),
      transmit: (head, body) => {
        const isSent = own.endpoint?.send(this.peer, head, body) ?? false;
        if (isSent) this.transmitted++;
        return isSent;
      },
      deliver: (bytes) => {
        this.delivered.push(textOf(bytes));
        this.onMessage(textOf(bytes));
      },
      opened: () => this.told.push('opened'),
      restarted: (life) => {
        this.told.push(`restarted as ${life}`);
        this.onRestart();
      },
      failed: (error) => this.errors.push(error),
    });
    this.channel = channel;
    const endpoint = await this.network.open(
      { app: 'test', name: this.name, maxFrameBytes: 1_000_000 },
      {
        frame: (_peer, bytes) => expect(channel.receive(bytes)).toBe(true),
        up: () => channel.up(),
        down: () => channel.down(),
        failed: () => undefined,
      },
    );
    own.endpoint = endpoint;
    endpoint.link(this.peer);
  }

  send(...texts: string[]): void {
    for (const text of texts) this.channel.send(bytesOf(text));
  }
}

export async function pair(): Promise<{
  network: MemoryNetwork;
  clock: ManualClock;
  a: Side;
  b: Side;
  /** Delivers everything in flight, and everything that follows from it. */
  settle(): void;
}> {
  const network = new MemoryNetwork({ manual: true });
  const clock = new ManualClock();
  const a = new Side('a', 'b', network, clock);
  const b = new Side('b', 'a', network, clock);
  await a.start(11);
  await b.start(21);
  const settle = (): void => {
    for (let steps = 0; network.step(steps); steps++) if (steps > 100_000) throw new Error('does not settle');
  };
  return { network, clock, a, b, settle };
}
