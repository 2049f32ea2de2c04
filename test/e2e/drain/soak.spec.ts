import { soakDrain } from '../../soak/drain.js';

// To run more: `npm run soak -- 200`.
describe('restarts under load', () => {
  it.each(['express', 'fastify'] as const)(
    'lose no request with %s',
    async (adapter) => {
      const { served, problems } = await soakDrain({ restarts: 5, adapter });
      expect(problems).toEqual([]);
      expect(served).toBeGreaterThan(0);
    },
    180_000,
  );
});
