import { ParentGoneReason, ProcessReplacedReason, type ProcessTerminateReason } from '@roost/shutdown/core';
import { ChildAgent, reportInFlight, reportReady } from './agent.js';
import type { ToPrimary } from './protocol.js';

const AGENT = Symbol.for('@roost/workers/child-agent');

const setup = () => {
  const sent: ToPrimary[] = [];
  const reasons: ProcessTerminateReason[] = [];
  const agent = new ChildAgent(
    (message) => sent.push(message),
    (reason) => reasons.push(reason),
  );
  return { agent, sent, reasons };
};

describe('ChildAgent', () => {
  it('says once that it is ready', () => {
    const { agent, sent } = setup();

    agent.ready();
    agent.ready();

    expect(sent).toEqual([{ roost: 'ready' }]);
  });

  it('says that it listens from now on', () => {
    const { agent, sent } = setup();

    agent.here();

    expect(sent).toEqual([{ roost: 'here' }]);
  });

  it('begins a shutdown with the signal of old when it is told to stop, once', () => {
    const { agent, reasons } = setup();

    agent.receive({ roost: 'stop', why: 'stop' });
    agent.receive({ roost: 'stop', why: 'replaced' });
    agent.stop('orphaned');

    expect(reasons.map(String)).toEqual(['process-terminate (SIGTERM)']);
    expect(reasons.map(({ signal }) => signal)).toEqual(['SIGTERM']);
  });

  it('tells the application that a successor has taken over', () => {
    const { agent, reasons } = setup();

    agent.receive({ roost: 'stop', why: 'replaced' });

    expect(reasons).toEqual([expect.any(ProcessReplacedReason)]);
  });

  it('tells the application that the primary is gone', () => {
    const { agent, reasons } = setup();

    agent.stop('orphaned');

    expect(reasons).toEqual([expect.any(ParentGoneReason)]);
  });

  it.each([undefined, null, 1, 'stop', { type: 'stop' }, { roost: 'dance' }, { cmd: 'NODE_stop' }, []])(
    'leaves a message of others alone: %p',
    (message) => {
      const { agent, sent, reasons } = setup();

      agent.receive(message);

      expect([sent, reasons]).toEqual([[], []]);
    },
  );
});

describe('ChildAgent asked for its status', () => {
  it('leaves out what it does not count', () => {
    const { agent, sent } = setup();

    agent.receive({ roost: 'status', id: 7 });

    expect(sent).toEqual([{ roost: 'status', id: 7, isManaged: false }]);
  });

  it('adds up what it has in hand', () => {
    const { agent, sent } = setup();
    let requests = 2;
    agent.addGauge(() => requests);
    agent.addGauge(() => 10);

    agent.receive({ roost: 'status', id: 1 });
    requests = 0;
    agent.receive({ roost: 'status', id: 2 });

    expect(sent.map((message) => 'inFlight' in message && message.inFlight)).toEqual([12, 10]);
  });

  it('answers although one of the counts fails', () => {
    const { agent, sent } = setup();
    agent.addGauge(() => {
      throw new Error('closed');
    });
    agent.addGauge(() => 3);

    agent.receive({ roost: 'status', id: 1 });

    expect(sent).toEqual([{ roost: 'status', id: 1, isManaged: false, inFlight: 3 }]);
  });
});

describe('reportReady and reportInFlight', () => {
  afterEach(() => {
    Reflect.deleteProperty(process, AGENT);
  });

  it('do nothing in a process that was not launched', () => {
    expect(ChildAgent.current).toBeUndefined();
    expect(() => {
      reportReady();
      reportInFlight(() => 1);
    }).not.toThrow();
  });

  it('talk to the launcher in one that was', () => {
    const { agent, sent } = setup();
    ChildAgent.install(agent);

    reportReady();
    reportInFlight(() => 4);
    ChildAgent.current!.receive({ roost: 'status', id: 1 });

    expect(sent).toEqual([{ roost: 'ready' }, { roost: 'status', id: 1, isManaged: false, inFlight: 4 }]);
  });
});
