import { ManualClock } from '@roost/time/testing';
import { outcomeOf } from '../workers.fixture.js';
import { ReportRequests } from './report-requests.js';

const LIMIT_MS = 250;

const setup = () => {
  const clock = new ManualClock();
  const requests = new ReportRequests(clock);
  const asked: number[] = [];
  const ask = () => outcomeOf(requests.ask((id) => asked.push(id), LIMIT_MS));
  return { clock, requests, asked, ask, settle: () => clock.advanceAsync(0) };
};

describe('ReportRequests', () => {
  it('returns the answer, and leaves no timer running', async () => {
    const { clock, requests, asked, ask, settle } = setup();
    const answer = ask();

    requests.receive({ roost: 'status', id: asked[0], isManaged: true, inFlight: 3 });
    await settle();

    expect(answer).toEqual({ status: 'resolved', value: { isManaged: true, inFlight: 3 } });
    expect(clock.pendingTimers).toBe(0);
  });

  it('returns undefined when no answer arrives in time, and ignores a late one', async () => {
    const { clock, requests, asked, ask } = setup();
    const answer = ask();

    await clock.advanceAsync(LIMIT_MS - 1);
    expect(answer.status).toBe('pending');
    await clock.advanceAsync(1);
    expect(answer).toEqual({ status: 'resolved', value: undefined });
    expect(requests.receive({ roost: 'status', id: asked[0], isManaged: true })).toBe(false);
  });

  it('keeps concurrent requests apart', async () => {
    const { requests, asked, ask, settle } = setup();
    const [first, second] = [ask(), ask()];

    requests.receive({ roost: 'status', id: asked[1], isManaged: true, inFlight: 2 });
    requests.receive({ roost: 'status', id: asked[0], isManaged: true, inFlight: 1 });
    requests.receive({ roost: 'status', id: asked[0], isManaged: true, inFlight: 9 });
    await settle();

    expect([first.value, second.value]).toEqual([
      { isManaged: true, inFlight: 1 },
      { isManaged: true, inFlight: 2 },
    ]);
  });

  it.each([undefined, null, NaN, Infinity, '3', {}])('omits a count that is %p', async (inFlight) => {
    const { requests, asked, ask, settle } = setup();
    const answer = ask();

    requests.receive({ roost: 'status', id: asked[0], isManaged: 'yes', inFlight });
    await settle();

    expect(answer.value).toEqual({ isManaged: false });
  });

  it('recognizes the message that a child is ready', () => {
    expect(setup().requests.receive({ roost: 'ready' })).toBe(true);
  });

  it.each([undefined, null, 5, 'ready', [], {}, { roost: 'else' }, { roost: 'status' }, { roost: 'status', id: {} }])(
    'ignores %p',
    async (message) => {
      const { requests, ask, settle } = setup();
      const answer = ask();

      expect(requests.receive(message)).toBe(false);
      await settle();

      expect(answer.status).toBe('pending');
    },
  );
});
