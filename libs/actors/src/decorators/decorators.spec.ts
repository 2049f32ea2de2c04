import { readActorDefinition } from '../actor-definition.js';
import {
  Actor,
  type ActorClass,
  type ActorContext,
  bounded,
  InvalidActorOptionError,
  OnSignal,
  oneForOne,
  PostStop,
  PreStart,
  Receive,
  type Signal,
  Terminated,
} from '../index.js';
import { DuplicateHandlerError } from '../errors/duplicate-handler.error.js';
import { InvalidHandlerError } from '../errors/invalid-handler.error.js';
import { NotAnActorClassError } from '../errors/not-an-actor-class.error.js';

class AddItem {
  constructor(readonly item: string) {}
}
class RemoveItem {
  constructor(readonly at: number) {}
}

const read = (type: ActorClass) => readActorDefinition(type, 'the test');

describe('@Actor', () => {
  it('accepts the options of Props, a name and when to spawn', () => {
    const options = { mailbox: bounded(5), supervision: oneForOne({ maxRetries: 1 }), stashCapacity: 3 };
    @Actor({ name: 'the-cart', spawn: 'bootstrap', ...options })
    class CartActor {}

    expect(read(CartActor)).toMatchObject({ type: CartActor, name: 'the-cart', spawn: 'bootstrap', options });
  });

  it.each([
    ['CartActor', 'cart'],
    ['OrderBookActor', 'order-book'],
    ['Actor', 'actor'],
    ['Cart', 'cart'],
    ['Http2Actor', 'http2'],
  ])('names %s after its class: %s', (className, name) => {
    const type = { [className]: class {} }[className]!;
    Actor()(type);

    expect(read(type)).toMatchObject({ name, spawn: 'demand', options: {} });
  });

  it('is not inherited', () => {
    @Actor()
    class CartActor {}
    class SpecialActor extends CartActor {}

    expect(() => read(SpecialActor)).toThrow(NotAnActorClassError);
    expect(() => read(SpecialActor)).toThrow('the test: the class SpecialActor has no @Actor()');
  });

  it.each([
    [{ mailbox: 5 }, 'mailbox'],
    [{ spawn: 'later' }, 'spawn of CartActor'],
    [{ mailboxSize: 5 }, 'mailboxSize'],
    [{ stashCapacity: 0 }, 'stashCapacity'],
    [{ supervision: 'restart' }, 'supervision'],
  ])('rejects %p', (options, option) => {
    @Actor(options as never)
    class CartActor {}

    expect(() => read(CartActor)).toThrow(InvalidActorOptionError);
    expect(() => read(CartActor)).toThrow(option);
  });
});

describe('@Receive', () => {
  it('may be applied to a method several times', () => {
    @Actor()
    class CartActor {
      @Receive(AddItem)
      @Receive(RemoveItem)
      change(_message: AddItem | RemoveItem): void {}
    }

    expect([...read(CartActor).messages.keys()]).toEqual([AddItem, RemoveItem]);
  });

  it('rejects two handlers for one message class, and names both methods', () => {
    @Actor()
    class CartActor {
      @Receive(AddItem)
      add(): void {}
      @Receive(AddItem)
      put(): void {}
    }

    expect(() => read(CartActor)).toThrow(DuplicateHandlerError);
    expect(() => read(CartActor)).toThrow('CartActor handles AddItem in add() and put()');
  });

  it('rejects two handlers for one message class even if one is inherited', () => {
    class Base {
      @Receive(AddItem)
      add(): void {}
    }
    @Actor()
    class CartActor extends Base {
      @Receive(AddItem)
      put(): void {}
    }

    expect(() => read(CartActor)).toThrow('CartActor handles AddItem in put() and add()');
  });

  it.each([['AddItem'], [undefined], [null], [{}], [() => undefined]])('rejects %p', (type) => {
    const decorate = (): void => {
      class CartActor {
        @Receive(type as never)
        add(): void {}
      }
      void CartActor;
    };

    expect(decorate).toThrow(InvalidHandlerError);
    expect(decorate).toThrow('@Receive() on CartActor.add: its argument must be a message class, but got');
  });

  it('is rejected on anything but an instance method', () => {
    expect(() => {
      class CartActor {
        @Receive(AddItem)
        static add(): void {}
      }
      void CartActor;
    }).toThrow('@Receive() on CartActor.add: it must decorate an instance method');
    expect(() => {
      class CartActor {
        @Receive(AddItem)
        get add(): () => void {
          return () => undefined;
        }
      }
      void CartActor;
    }).toThrow(InvalidHandlerError);
  });
});

describe('@OnSignal', () => {
  it.each([[AddItem], ['PostStop'], [undefined], [new PostStop()]])('rejects %p', (type) => {
    const decorate = (): void => {
      class CartActor {
        @OnSignal(type as never)
        close(): void {}
      }
      void CartActor;
    };

    expect(decorate).toThrow(InvalidHandlerError);
    expect(decorate).toThrow(
      '@OnSignal() on CartActor.close: its argument must be a signal class such as PostStop, but got',
    );
  });

  it('rejects two handlers for one signal class', () => {
    @Actor()
    class CartActor {
      @OnSignal(PostStop)
      close(): void {}
      @OnSignal(PostStop)
      end(): void {}
    }

    expect(() => read(CartActor)).toThrow('CartActor handles PostStop in close() and end()');
  });

  it('is rejected on a static method', () => {
    expect(() => {
      class CartActor {
        @OnSignal(PostStop)
        static close(): void {}
      }
      void CartActor;
    }).toThrow('it must decorate an instance method');
  });
});

/** Checked by the compiler: an expected error that does not occur is an error itself. */
describe('handler types', () => {
  it('match their decorators', () => {
    @Actor()
    class CartActor {
      @Receive(AddItem) plain(_message: AddItem): void {}
      @Receive(RemoveItem) wider(_message: RemoveItem | AddItem, _ctx: ActorContext<RemoveItem>): Promise<number> {
        return Promise.resolve(1);
      }
      @Receive(String) text(_text: string): void {}
      @OnSignal(PostStop) close(_signal: PostStop, _ctx: ActorContext<AddItem>): void {}
      @OnSignal(PreStart) begin(_signal: Signal): void {}

      // @ts-expect-error the parameter has another message type
      @Receive(Number) wrongMessage(_message: AddItem): void {}
      // @ts-expect-error there is no third argument
      @Receive(Date) tooMany(_message: Date, _ctx: ActorContext, _more: string): void {}
      // @ts-expect-error the parameter has another signal type
      @OnSignal(Terminated) wrongSignal(_signal: AddItem): void {}
      // @ts-expect-error the second argument is not a signal
      @Receive(Map) wrongContext(_message: unknown, _signal: PostStop): void {}
    }

    expect(CartActor).toBeDefined();
  });
});
