import { EventEmitter } from 'node:events';
import { goFirst, joinOthers, takeOver } from './server-events.js';

const setup = () => {
  const server = new EventEmitter();
  const calls: string[] = [];
  const note =
    (name: string) =>
    (...args: unknown[]) =>
      void calls.push([name, ...args].join(' '));
  /** Emits the event and returns the names of the called listeners. */
  const emit = (...args: unknown[]) => {
    calls.length = 0;
    server.emit('event', ...args);
    return [...calls];
  };
  return { server, calls, note, emit };
};

describe('goFirst', () => {
  it.each([[[]], [['a']], [['a', 'b']]])('is called before the existing listeners: %p', (names) => {
    const { server, note, emit } = setup();
    for (const name of names) server.on('event', note(name));
    goFirst(server, 'event', note('own'));

    expect(emit(1, 2)).toEqual(['own 1 2', ...names.map((name) => `${name} 1 2`)]);
  });

  it('adds no second listener to a single existing one', () => {
    const { server, note, emit } = setup();
    server.on('event', note('a'));
    goFirst(server, 'event', note('own'));

    expect(server.listenerCount('event')).toBe(1);
    server.on('event', note('late'));
    expect(emit(1, 2)).toEqual(['own 1 2', 'a 1 2', 'late 1 2']);
  });

  it('calls a once listener only once', () => {
    const { server, note, emit } = setup();
    server.once('event', note('a'));
    goFirst(server, 'event', note('own'));

    expect(emit(1, 2)).toEqual(['own 1 2', 'a 1 2']);
    expect(emit(1, 2)).toEqual(['own 1 2']);
  });

  it('calls the other as a method of the server', () => {
    const { server, emit } = setup();
    let seen: unknown;
    server.on('event', function (this: unknown) {
      // eslint-disable-next-line @typescript-eslint/no-this-alias
      seen = this;
    });
    goFirst(server, 'event', () => undefined);
    emit();

    expect(seen).toBe(server);
  });

  it.each([[[]], [['a']], [['a', 'b']]])('restores the previous state when it ends: %p', (names) => {
    const { server, note, emit } = setup();
    for (const name of names) server.on('event', note(name));
    const before = server.rawListeners('event');
    const leave = goFirst(server, 'event', note('own'));
    leave();
    leave();

    expect(server.rawListeners('event')).toEqual(before);
    expect(emit()).toEqual(names);
  });

  it('does not restore a listener that was removed in the meantime', () => {
    const { server, note, emit } = setup();
    server.on('event', note('a'));
    const leave = goFirst(server, 'event', note('own'));
    server.removeAllListeners('event').on('event', note('b'));
    leave();

    expect(emit()).toEqual(['b']);
  });
});

describe('joinOthers', () => {
  it('does not listen while there are no other listeners', () => {
    const { server, note } = setup();
    joinOthers(server, 'event', note('own'));

    expect(server.listenerCount('event')).toBe(0);
    server.on('another event', note('other'));
    expect(server.listenerCount('event')).toBe(0);
  });

  it('is called before listeners that were added earlier', () => {
    const { server, note, emit } = setup();
    server.on('event', note('a')).on('event', note('b'));
    joinOthers(server, 'event', note('own'));

    expect(emit(1, 2)).toEqual(['own 1 2', 'a 1 2', 'b 1 2']);
  });

  it('is called once, before listeners that are added later', () => {
    const { server, note, emit } = setup();
    joinOthers(server, 'event', note('own'));
    server.on('event', note('a')).on('event', note('b'));

    expect(emit()).toEqual(['own', 'a', 'b']);
  });

  it('is called for a once listener, and not after it', () => {
    const { server, note, emit } = setup();
    joinOthers(server, 'event', note('own'));
    server.once('event', note('a'));

    expect(emit()).toEqual(['own', 'a']);
    expect(server.listenerCount('event')).toBe(0);
    server.on('event', note('b'));
    expect(emit()).toEqual(['own', 'b']);
  });

  it('stops with the last other listener, and resumes with the next one', () => {
    const { server, note, emit } = setup();
    const [a, b] = [note('a'), note('b')];
    server.on('event', a);
    joinOthers(server, 'event', note('own'));
    server.on('event', b).off('event', a);
    expect(emit()).toEqual(['own', 'b']);
    server.off('event', b);
    expect(server.listenerCount('event')).toBe(0);

    server.on('event', a);
    expect(emit()).toEqual(['own', 'a']);
  });

  it.each([1, 2])('resumes after all of %d listeners were removed at once', (count) => {
    const { server, note, emit } = setup();
    joinOthers(server, 'event', note('own'));
    for (let i = 0; i < count; i++) server.on('event', note('a'));
    server.removeAllListeners('event');
    expect(server.listenerCount('event')).toBe(0);

    server.on('event', note('b'));
    expect(emit()).toEqual(['own', 'b']);
  });

  it('leaves no listener behind when it ends', () => {
    const { server, note, emit } = setup();
    const leave = joinOthers(server, 'event', note('own'));
    server.on('event', note('a'));
    leave();
    leave();
    server.on('event', note('b'));

    expect(emit()).toEqual(['a', 'b']);
    expect(server.listenerCount('newListener') + server.listenerCount('removeListener')).toBe(0);
  });
});

describe('takeOver', () => {
  it('hides the event from the other listeners', () => {
    const { server, note, emit } = setup();
    server.on('event', note('a'));
    takeOver(server, 'event', note('gate'));

    expect(emit(1)).toEqual(['gate 1']);
  });

  it('passes the event to all previous listeners, in their order and as methods of the server', () => {
    const { server, calls, note, emit } = setup();
    server.on('event', note('b')).prependListener('event', note('a'));
    server.on('event', function (this: unknown) {
      calls.push(`this is ${this === server ? 'the server' : 'something else'}`);
    });
    const pass = takeOver(server, 'event', (...args: unknown[]) => void calls.push(`passed: ${pass(...args)}`));

    expect(emit(7)).toEqual(['a 7', 'b 7', 'this is the server', 'passed: true']);
    expect(emit(8)).toEqual(['a 8', 'b 8', 'this is the server', 'passed: true']);
  });

  it('reports that there are no listeners', () => {
    const { server, calls, emit } = setup();
    const pass = takeOver(server, 'event', () => void calls.push(`passed: ${pass()}`));

    expect(emit()).toEqual(['passed: false']);
  });

  it('calls a once listener a single time, and then reports that there are no listeners', () => {
    const { server, calls, note, emit } = setup();
    server.once('event', note('a'));
    const pass = takeOver(server, 'event', () => void calls.push(`passed: ${pass()}`));

    expect(emit()).toEqual(['a', 'passed: true']);
    expect(emit()).toEqual(['passed: false']);
  });

  it('does not affect listeners that are added later', () => {
    const { server, note, emit } = setup();
    takeOver(server, 'event', note('gate'));
    server.on('event', note('later'));

    expect(emit()).toEqual(['gate', 'later']);
  });
});
