import { EventBus } from '@nestjs/cqrs';
import type { Contender, Message, Receiver } from '../contender.js';
import { cqrsApplication, eventHandler } from './cqrs.js';

/** Every handler receives every event and checks its class. Here each class stands for an actor. */
class EventReceiver implements Receiver {
  constructor(
    private readonly bus: EventBus,
    private readonly Event: new (message: Message) => object,
  ) {}

  tell(message: Message): void {
    this.bus.publish(new this.Event(message));
  }
}

async function receivers(count: number, handle: (message: Message) => unknown): Promise<Receiver[]> {
  const events = Array.from({ length: count }, () => {
    return class {
      constructor(readonly message: Message) {}
    };
  });
  const app = await cqrsApplication(
    events.map((event) => eventHandler(event, ({ message }: { message: Message }) => handle(message))),
  );
  return events.map((event) => new EventReceiver(app.get(EventBus), event));
}

export const contender: Contender = {
  share: 0.02,
  spawn: receivers,
  spawnAsync: async (handle) => (await receivers(1, handle))[0]!,
};
