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
  it('reports once that it is ready', () => {
    const { agent, sent } = setup();

    agent.ready();
    agent.ready();

    expect(sent).toEqual([{ roost: 'ready' }]);
  });

  it('announces that it receives messages', () => {
    const { agent, sent } = setup();

    agent.here();

    expect(sent).toEqual([{ roost: 'here' }]);
  });

  it('starts one shutdown with the usual signal when it receives a stop', () => {
    const { agent, reasons } = setup();

    agent.receive({ roost: 'stop', why: 'stop' });
    agent.receive({ roost: 'stop', why: 'replaced' });
    agent.stop('orphaned');

    expect(reasons.map(String)).toEqual(['process-terminate (SIGTERM)']);
    expect(reasons.map(({ signal }) => signal)).toEqual(['SIGTERM']);
  });

  it('passes on that a successor has taken over', () => {
    const { agent, reasons } = setup();

    agent.receive({ roost: 'stop', why: 'replaced' });

    expect(reasons).toEqual([expect.any(ProcessReplacedReason)]);
  });

  it('passes on that the primary has died', () => {
    const { agent, reasons } = setup();

    agent.stop('orphaned');

    expect(reasons).toEqual([expect.any(ParentGoneReason)]);
  });

  it.each([undefined, null, 1, 'stop', { type: 'stop' }, { roost: 'dance' }, { cmd: 'NODE_stop' }, []])(
    'ignores a message of other code: %p',
    (message) => {
      const { agent, sent, reasons } = setup();

      agent.receive(message);

      expect([sent, reasons]).toEqual([[], []]);
    },
  );
});

describe('ChildAgent status report', () => {
  it('omits the count without gauges', () => {
    const { agent, sent } = setup();

    agent.receive({ roost: 'status', id: 7 });

    expect(sent).toEqual([{ roost: 'status', id: 7, isManaged: false }]);
  });

  it('sums its gauges', () => {
    const { agent, sent } = setup();
    let requests = 2;
    agent.addGauge(() => requests);
    agent.addGauge(() => 10);

    agent.receive({ roost: 'status', id: 1 });
    requests = 0;
    agent.receive({ roost: 'status', id: 2 });

    expect(sent.map((message) => 'inFlight' in message && message.inFlight)).toEqual([12, 10]);
  });

  it('answers even if one gauge fails', () => {
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

  it('talk to the launcher in a launched process', () => {
    const { agent, sent } = setup();
    ChildAgent.install(agent);

    reportReady();
    reportInFlight(() => 4);
    ChildAgent.current!.receive({ roost: 'status', id: 1 });

    expect(sent).toEqual([{ roost: 'ready' }, { roost: 'status', id: 1, isManaged: false, inFlight: 4 }]);
  });
});
