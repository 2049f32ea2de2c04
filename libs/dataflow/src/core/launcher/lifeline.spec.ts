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
  it('tells that the run is over, once', () => {
    const { proc, told } = setup();
    proc.emit('message', { some: 'message' });
    expect(told).toEqual([]);
    proc.emit('message', WORD.over);
    proc.emit('message', WORD.over);
    proc.emit('disconnect');
    expect(told).toEqual(['over']);
  });

  it('tells that the launcher is gone, once', () => {
    const { proc, told } = setup();
    proc.emit('disconnect');
    proc.emit('disconnect');
    expect(told).toEqual(['cut']);
  });

  it('tells that the launcher was gone before', () => {
    expect(setup(new FakeProcess(false)).told).toEqual(['cut']);
  });

  it('keeps nobody alive', () => {
    expect(setup().proc.isHeld).toBe(false);
  });

  it('says that this process leaves, if there is somebody to hear it', () => {
    const { proc, lifeline } = setup();
    lifeline.leave();
    expect(proc.said).toEqual([WORD.leaving]);
    proc.connected = false;
    lifeline.leave();
    expect(proc.said).toHaveLength(1);
  });

  it('does nothing in a process that nobody has launched', () => {
    const proc = Object.assign(new EventEmitter(), { connected: undefined });
    const { told, lifeline } = setup(proc as unknown as FakeProcess);
    lifeline.leave();
    expect(told).toEqual([]);
  });
});
