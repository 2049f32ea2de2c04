import { EventEmitter } from 'node:events';
import { type LaunchedProcess, Lifeline, WORD } from './lifeline.js';

class FakeProcess extends EventEmitter {
  readonly said: unknown[] = [];
  isHeld = true;
  readonly channel = { unref: () => (this.isHeld = false) };

  constructor(public connected: boolean | undefined = true) {
    super();
  }

  send = (word: unknown): boolean => {
    this.said.push(word);
    return true;
  };
}

const setup = (proc = new FakeProcess()) => {
  const told: string[] = [];
  const options = { over: () => void told.push('over'), cut: () => void told.push('cut') };
  return { proc, told, lifeline: new Lifeline(options, proc as unknown as LaunchedProcess) };
};

describe('Lifeline', () => {
  it('reports the end of the run once', () => {
    const { proc, told } = setup();
    proc.emit('message', { some: 'message' });
    expect(told).toEqual([]);
    proc.emit('message', WORD.over);
    proc.emit('message', WORD.over);
    proc.emit('disconnect');
    expect(told).toEqual(['over']);
  });

  it('reports the loss of the launcher once', () => {
    const { proc, told } = setup();
    proc.emit('disconnect');
    proc.emit('disconnect');
    expect(told).toEqual(['cut']);
  });

  it('reports a launcher that was lost before', () => {
    expect(setup(new FakeProcess(false)).told).toEqual(['cut']);
  });

  it('does not keep the process alive', () => {
    expect(setup().proc.isHeld).toBe(false);
  });

  it('announces the exit of this process while the channel is open', () => {
    const { proc, lifeline } = setup();
    lifeline.leave();
    expect(proc.said).toEqual([WORD.leaving]);
    proc.connected = false;
    lifeline.leave();
    expect(proc.said).toHaveLength(1);
  });

  it('does nothing in a process that was not launched', () => {
    const proc = Object.assign(new EventEmitter(), { connected: undefined });
    const { told, lifeline } = setup(proc as unknown as FakeProcess);
    lifeline.leave();
    expect(told).toEqual([]);
  });
});
