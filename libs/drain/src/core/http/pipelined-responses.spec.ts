import { PassThrough } from 'node:stream';
import { PipelinedResponses } from './pipelined-responses.js';
import type { AnyResponse } from './server.js';
import { unsent } from './test-servers.fixture.js';

const setup = () => {
  const cut: AnyResponse[] = [];
  return { cut, pipelined: new PipelinedResponses((response) => cut.push(response)), socket: new PassThrough() };
};

describe('PipelinedResponses', () => {
  it('reports the responses whose connection closes before their turn', () => {
    const { cut, pipelined, socket } = setup();
    const [a, b] = [unsent().response, unsent().response];
    pipelined.add(socket, a);
    pipelined.add(socket, b);
    socket.emit('close');

    expect(cut).toEqual([a, b]);
    expect(socket.listenerCount('close')).toBe(0);
  });

  it('does not report a response that closed on its own', () => {
    const { cut, pipelined, socket } = setup();
    const { response } = unsent();
    pipelined.add(socket, response);
    response.emit('close');
    socket.emit('close');

    expect(cut).toEqual([]);
  });

  it('keeps connections apart', () => {
    const { cut, pipelined, socket } = setup();
    const { response } = unsent();
    pipelined.add(socket, response);
    pipelined.add(new PassThrough(), unsent().response);
    socket.emit('close');

    expect(cut).toEqual([response]);
  });
});
