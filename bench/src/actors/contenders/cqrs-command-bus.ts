import { CommandBus } from '@nestjs/cqrs';
import type { Asker, Contender, Message, Receiver } from '../contender.js';
import { commandHandler, cqrsApplication } from './cqrs.js';

/** The bus takes one handler per command class, so each class stands for an actor. */
class CommandReceiver implements Receiver {
  constructor(
    private readonly bus: CommandBus,
    private readonly Command: new (message: Message) => object,
  ) {}

  tell(message: Message): void {
    void this.bus.execute(new this.Command(message));
  }
}

class CommandAsker implements Asker {
  constructor(private readonly bus: CommandBus) {}

  ask(value: number): Promise<number> {
    return this.bus.execute<Question, number>(new Question(value));
  }
}

class Question {
  constructor(readonly value: number) {}
}

async function receivers(count: number, handle: (message: Message) => Promise<void>): Promise<Receiver[]> {
  const commands = Array.from({ length: count }, () => {
    return class {
      constructor(readonly message: Message) {}
    };
  });
  const app = await cqrsApplication(
    commands.map((command) => commandHandler(command, ({ message }: { message: Message }) => handle(message))),
  );
  return commands.map((command) => new CommandReceiver(app.get(CommandBus), command));
}

export const contender: Contender = {
  spawn: (count, handle) =>
    receivers(count, (message) => {
      handle(message);
      return done;
    }),
  spawnAsync: async (handle) => (await receivers(1, handle))[0]!,
  spawnAsker: async (answer) => {
    const handler = commandHandler(Question, ({ value }: Question) => Promise.resolve(answer(value)));
    return new CommandAsker((await cqrsApplication([handler])).get(CommandBus));
  },
};

const done = Promise.resolve();
