import { EventEmitter } from 'node:events';
import { MissingMethodError, override, overrideListeners } from './override.js';

class Server {
  readonly name = 'main';
  optional?: () => string;

  greet(who: string): string {
    return `${this.name} greets ${who}`;
  }
}

const loudly = (greet: Server['greet']): Server['greet'] =>
  function (this: Server, who) {
    return greet.call(this, who).toUpperCase();
  };

describe('override', () => {
  it('replaces a method of one object, and lets the replacement call the original', () => {
    const server = new Server();
    override(server, 'greet', 'a spec', loudly);

    expect(server.greet('you')).toBe('MAIN GREETS YOU');
    expect(new Server().greet('you')).toBe('main greets you');
  });

  it('restores the method', () => {
    const server = new Server();
    const restore = override(server, 'greet', 'a spec', loudly);
    restore();

    expect(server.greet('you')).toBe('main greets you');
    expect(Object.hasOwn(server, 'greet')).toBe(false);
  });

  it('restores an own method of the object', () => {
    const server = new Server();
    server.greet = () => 'own';
    override(server, 'greet', 'a spec', () => () => 'replaced')();

    expect(server.greet('you')).toBe('own');
  });

  it('does not restore a method that was replaced again later', () => {
    const server = new Server();
    const restore = override(server, 'greet', 'a spec', loudly);
    server.greet = () => 'later';
    restore();

    expect(server.greet('you')).toBe('later');
  });

  it('works through a proxy that drops assignments, like a Nest application', () => {
    const server = new Proxy(new Server(), { set: () => true });
    override(server, 'greet', 'a spec', loudly);

    expect(server.greet('you')).toBe('MAIN GREETS YOU');
  });

  it('is not enumerable', () => {
    const server = new Server();
    override(server, 'greet', 'a spec', loudly);

    expect(Object.keys(server)).toEqual(['name']);
  });

  it('replaces a static method of a class', () => {
    class Factory {
      static make = (): string => 'made';
    }
    override(Factory, 'make', 'a spec', (make) => () => `${make()} twice`);

    expect(Factory.make()).toBe('made twice');
  });

  it('fails when the method does not exist, and names the part that needs it', () => {
    const replace = () => override(new Server(), 'optional', 'DrainModule', () => () => 'never');

    expect(replace).toThrow(MissingMethodError);
    expect(replace).toThrow(expect.objectContaining({ code: 'KERNEL_MISSING_METHOD', method: 'optional' }));
    expect(replace).toThrow('DrainModule needs Server.optional(), which does not exist.');
  });

  it('names the class when a static method does not exist', () => {
    class Factory {
      static make?: () => string;
    }
    expect(() => override(Factory, 'make', 'a spec', () => () => 'x')).toThrow('Factory.make()');
  });

  it('uses the fallback for a method that the object may lack', () => {
    const server = new Server();
    const restore = override(server, 'optional', 'a spec', (original) => () => `${original()}!`, {
      fallback: () => 'default',
    });
    expect(server.optional?.()).toBe('default!');

    restore();
    expect(server.optional).toBeUndefined();
  });

  it('prefers the method over the fallback', () => {
    const server = new Server();
    override(server, 'greet', 'a spec', loudly, { fallback: () => 'default' });

    expect(server.greet('you')).toBe('MAIN GREETS YOU');
  });

  it('reads a method behind a getter, on the object and on its class', () => {
    class Lazy {
      name = 'lazy';
      get greet(): () => string {
        return () => this.name;
      }
    }
    const own = Object.defineProperty(new Server(), 'greet', { get: () => () => 'own', configurable: true });
    const inherited = new Lazy();
    override(own, 'greet', 'a spec', loudly);
    override(inherited, 'greet', 'a spec', (greet) => () => greet().toUpperCase());

    expect(own.greet('you')).toBe('OWN');
    expect(inherited.greet()).toBe('LAZY');
  });

  it('fails with its own error on an object without a prototype', () => {
    const bare = Object.create(null) as Server;
    expect(() => override(bare, 'greet', 'a spec', loudly)).toThrow('needs an object.greet()');
  });
});

describe('overrideListeners', () => {
  const record = () => {
    const calls: string[] = [];
    const emitter = new EventEmitter();
    const listener = (name: string) => (value: number) => void calls.push(`${name} ${value}`);
    return { calls, emitter, listener };
  };

  it('replaces the listeners with one, which may call them', () => {
    const { calls, emitter, listener } = record();
    emitter.on('x', listener('a')).on('x', listener('b'));
    overrideListeners<[number]>(emitter, 'x', (originals) => (value) => {
      calls.push('first');
      for (const original of originals) original.call(emitter, value + 1);
    });

    emitter.emit('x', 1);
    expect(calls).toEqual(['first', 'a 2', 'b 2']);
    expect(emitter.listenerCount('x')).toBe(1);
  });

  it('runs before listeners that are added later', () => {
    const { calls, emitter, listener } = record();
    overrideListeners(emitter, 'x', () => listener('own'));
    emitter.on('x', listener('later'));

    emitter.emit('x', 1);
    expect(calls).toEqual(['own 1', 'later 1']);
  });

  it('calls a `once` listener only once', () => {
    const { calls, emitter, listener } = record();
    emitter.once('x', listener('a'));
    overrideListeners<[number]>(
      emitter,
      'x',
      (originals) => (value) => originals.forEach((original) => original.call(emitter, value)),
    );

    emitter.emit('x', 1);
    emitter.emit('x', 2);
    expect(calls).toEqual(['a 1']);
  });

  it('restores the listeners in order and before later ones', () => {
    const { calls, emitter, listener } = record();
    emitter.on('x', listener('a')).on('x', listener('b'));
    const restore = overrideListeners(emitter, 'x', () => listener('own'));
    emitter.on('x', listener('later'));
    restore();

    emitter.emit('x', 1);
    expect(calls).toEqual(['a 1', 'b 1', 'later 1']);
  });

  it('does not touch the event when the replacement has been removed', () => {
    const { calls, emitter, listener } = record();
    emitter.on('x', listener('a'));
    const restore = overrideListeners(emitter, 'x', () => listener('own'));
    emitter.removeAllListeners('x');
    restore();

    emitter.emit('x', 1);
    expect(calls).toEqual([]);
  });
});
