import { BootGate } from './boot-gate.js';

describe('BootGate', () => {
  it('tells waiting actors whether it opened', async () => {
    const [opened, cancelled] = [new BootGate(), new BootGate()];
    opened.open();
    cancelled.cancel();

    expect(await Promise.all([opened.opened, cancelled.opened])).toEqual([true, false]);
    expect([opened.isOpen, cancelled.isOpen]).toEqual([true, false]);
  });

  it('keeps its first result', async () => {
    const [opened, cancelled] = [new BootGate(), new BootGate()];
    opened.open();
    opened.cancel();
    cancelled.cancel();
    cancelled.open();

    expect(await Promise.all([opened.opened, cancelled.opened])).toEqual([true, false]);
    expect([opened.isOpen, cancelled.isOpen]).toEqual([true, false]);
  });
});
