import type { DataflowError } from '../errors/dataflow.error.js';
import { bytesOf, textOf } from './channel.fixture.js';
import { LinkHub, type LinkHubOptions } from './link-hub.js';

/** A hub that records the calls of its callbacks. */
export class Owner {
  readonly messages: string[] = [];
  readonly news: string[] = [];
  readonly details: string[] = [];
  readonly errors: DataflowError[] = [];
  readonly warnings: string[] = [];
  hub!: LinkHub;

  constructor(readonly name: string) {}

  static async open(
    name: string,
    options: Pick<LinkHubOptions, 'transport'> & Partial<LinkHubOptions>,
  ): Promise<Owner> {
    const owner = new Owner(name);
    owner.hub = await LinkHub.open({
      identity: { app: 'test', name, maxFrameBytes: 1_000_000 },
      logger: { warn: (line) => owner.warnings.push(line) },
      onMessage: (peer, bytes) => owner.messages.push(`${peer}: ${textOf(bytes)}`),
      onPeer: (peer, event, detail) => {
        owner.news.push(`${peer} ${event}`);
        owner.details.push(detail);
      },
      onError: (error) => owner.errors.push(error),
      ...options,
    });
    return owner;
  }

  send(peer: string, ...texts: string[]): void {
    for (const text of texts) this.hub.send(peer, bytesOf(text));
  }
}
