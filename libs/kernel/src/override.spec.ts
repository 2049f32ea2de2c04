import { MissingMethodError, override } from './override.js';

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
  it('replaces a method of one object, which still can be called', () => {
    const server = new Server();
    override(server, 'greet', 'a spec', loudly);

    expect(server.greet('you')).toBe('MAIN GREETS YOU');
    expect(new Server().greet('you')).toBe('main greets you');
  });

  it('puts the method back', () => {
    const server = new Server();
    const restore = override(server, 'greet', 'a spec', loudly);
    restore();

    expect(server.greet('you')).toBe('main greets you');
    expect(Object.hasOwn(server, 'greet')).toBe(false);
  });

  it('puts back a method that the object had of its own', () => {
    const server = new Server();
    server.greet = () => 'own';
    override(server, 'greet', 'a spec', () => () => 'replaced')();

    expect(server.greet('you')).toBe('own');
  });

  it('leaves a method alone that was replaced again later', () => {
    const server = new Server();
    const restore = override(server, 'greet', 'a spec', loudly);
    server.greet = () => 'later';
    restore();

    expect(server.greet('you')).toBe('later');
  });

  it('passes through a proxy that drops assignments, as Nest applications do', () => {
    const server = new Proxy(new Server(), { set: () => true });
    override(server, 'greet', 'a spec', loudly);

    expect(server.greet('you')).toBe('MAIN GREETS YOU');
  });

  it('does not show up when the properties of the object are listed', () => {
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

  it('fails when the method is not there, and says what needs it', () => {
    const replace = () => override(new Server(), 'optional', 'DrainModule', () => () => 'never');

    expect(replace).toThrow(MissingMethodError);
    expect(replace).toThrow(expect.objectContaining({ code: 'KERNEL_MISSING_METHOD', method: 'optional' }));
    expect(replace).toThrow('DrainModule relies on Server.optional(), which is not there.');
  });

  it('names a class whose static method is not there', () => {
    class Factory {
      static make?: () => string;
    }
    expect(() => override(Factory, 'make', 'a spec', () => () => 'x')).toThrow('Factory.make()');
  });
});
