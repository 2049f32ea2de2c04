import type { NodeAction, NodePhysicalAction } from './actions.js';
import type { NodeContext } from './context.js';
import { span } from '../time/span.js';

type Order = { kind: 'buy'; count: number } | { kind: 'cancel' };

/** Calls that the compiler checks. They never run. */
const uses = (
  plain: NodePhysicalAction,
  orders: NodePhysicalAction<Order>,
  maybe: NodePhysicalAction<number | undefined>,
  action: NodeAction<Order>,
  ctx: NodeContext,
  order: Order,
): void => {
  plain.schedule();
  orders.schedule(order);
  orders.schedule({ kind: 'cancel' });
  maybe.schedule();
  maybe.schedule(1);
  action.schedule(span.ms(1), order);
  ctx.schedule(span.ms(1), action, order);
  // @ts-expect-error a value is missing
  orders.schedule();
  // @ts-expect-error not an order
  orders.schedule({ kind: 'sell' });
  // @ts-expect-error a value is missing
  action.schedule(span.ms(1));
  // @ts-expect-error the action has no payload
  plain.schedule(1);
};

describe('schedule()', () => {
  it('accepts values of the declared type, and requires one unless it may be undefined', () => {
    expect(uses).toHaveLength(6);
  });
});
