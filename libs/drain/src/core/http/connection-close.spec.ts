import { Socket } from 'node:net';
import { IncomingMessage, ServerResponse } from 'node:http';
import { ConnectionClose } from './connection-close.js';

const { jest } = import.meta;

const connection = () => {
  const socket = new Socket();
  const end = jest.spyOn(socket, 'end').mockReturnValue(socket);
  const response = () => new ServerResponse(new IncomingMessage(socket));
  return { end, response };
};

describe('ConnectionClose', () => {
  it('sets Connection: close on the response and ends the connection after it', () => {
    const { end, response } = connection();
    const closing = new ConnectionClose();
    const only = response();

    closing.claim(only);
    expect(only.getHeader('Connection')).toBe('close');
    expect(end).not.toHaveBeenCalled();
    closing.release(only);
    expect(end).toHaveBeenCalledTimes(1);
  });

  it('removes the header from a response when another one waits behind it', () => {
    const { end, response } = connection();
    const closing = new ConnectionClose();
    const [first, second] = [response(), response()];
    closing.claim(first);
    closing.claim(second);

    expect([first, second].map((each) => each.getHeader('Connection'))).toEqual([undefined, 'close']);
    closing.release(first);
    expect(end).not.toHaveBeenCalled();
    closing.release(second);
    expect(end).toHaveBeenCalledTimes(1);
  });

  it('does not change headers that have been sent', () => {
    const { end, response } = connection();
    const closing = new ConnectionClose();
    const [first, second] = [response(), response()];
    first.writeHead(200, { Connection: 'keep-alive' });
    closing.claim(first);
    second.writeHead(200);
    closing.claim(second);

    expect(second.getHeader('Connection')).toBeUndefined();
    closing.release(second);
    expect(end).toHaveBeenCalledTimes(1);
  });

  it('keeps connections apart, and does not end one for a response it has not seen', () => {
    const [one, other] = [connection(), connection()];
    const closing = new ConnectionClose();
    const [first, second] = [one.response(), other.response()];
    closing.claim(first);
    closing.claim(second);
    closing.release(one.response());
    closing.release(second);

    expect(first.getHeader('Connection')).toBe('close');
    expect([one.end.mock.calls.length, other.end.mock.calls.length]).toEqual([0, 1]);
  });
});
