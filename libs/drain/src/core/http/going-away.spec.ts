import { Duplex } from 'node:stream';
import { sendGoingAway, terminate } from './going-away.js';

const CLOSE_1001 = Buffer.from([0x88, 0x02, 0x03, 0xe9]);
/** The client's answer: a masked close frame. */
const CLOSE_ANSWER = Buffer.from([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe9]);
const TEXT = Buffer.from([0x81, 0x80, 0, 0, 0, 0]);

class FakeSocket extends Duplex {
  readonly written: Buffer[] = [];
  bytesWritten = 129;

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.written.push(chunk);
    done();
  }

  receive(data: Buffer): void {
    this.emit('data', data);
  }
}

const withOwner = (owner: object): FakeSocket => Object.assign(new FakeSocket(), { [Symbol('websocket')]: owner });

const owner = () => {
  const log: unknown[][] = [];
  return { log, close: (...args: unknown[]) => log.push(['close', ...args]), terminate: () => log.push(['terminate']) };
};

describe('sendGoingAway', () => {
  it('uses the ws object when the connection has one', () => {
    const library = owner();
    const socket = withOwner(library);
    sendGoingAway(socket);
    expect(library.log).toEqual([['close', 1001, 'service is stopping']]);
    expect(socket.written).toEqual([]);
  });

  it('writes a close frame with code 1001 otherwise', () => {
    const socket = new FakeSocket();
    sendGoingAway(socket);
    expect(Buffer.concat(socket.written)).toEqual(CLOSE_1001);
  });

  it.each([
    ['lacks close', { terminate: () => undefined }],
    ['lacks terminate', { close: () => undefined }],
  ])('writes the frame itself when the object on the connection %s', (_what, something) => {
    const socket = withOwner(something);
    sendGoingAway(socket);
    expect(Buffer.concat(socket.written)).toEqual(CLOSE_1001);
  });

  it('ends the connection after the client has answered, not before', () => {
    const socket = new FakeSocket().on('data', () => undefined);
    sendGoingAway(socket);
    socket.receive(TEXT);
    expect(socket.writableEnded).toBe(false);
    socket.receive(CLOSE_ANSWER);
    expect(socket.writableEnded).toBe(true);
  });

  it('does not start reading a connection that has no reader', () => {
    const socket = new FakeSocket();
    sendGoingAway(socket);
    expect(socket.listenerCount('data')).toBe(0);
    expect(socket.readableFlowing).toBeNull();
  });

  it('writes nothing during an unfinished handshake', () => {
    const socket = Object.assign(new FakeSocket(), { bytesWritten: 0 });
    sendGoingAway(socket);
    expect(socket.written).toEqual([]);
  });

  it('writes nothing to an ended connection', () => {
    const socket = new FakeSocket();
    socket.end();
    sendGoingAway(socket);
    expect(socket.written).toEqual([]);
  });
});

describe('terminate', () => {
  it('uses the ws object when the connection has one', () => {
    const library = owner();
    const socket = withOwner(library);
    terminate(socket);
    expect(library.log).toEqual([['terminate']]);
    expect(socket.destroyed).toBe(false);
  });

  it('destroys the connection otherwise', () => {
    const socket = new FakeSocket();
    terminate(socket);
    expect(socket.destroyed).toBe(true);
  });
});
