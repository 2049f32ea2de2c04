import { ApiProperty } from '@nestjs/swagger';
import { randomUUID } from 'node:crypto';
import { OrderLine, totalOf } from '../orders/order.js';

export const MOST_OF_ONE = 100;

/** A cart as stored. */
export interface Cart {
  /** Id of the cart's next order. It is chosen in advance, so that a repeated checkout has no effect. */
  readonly orderId: string;
  readonly lines: readonly OrderLine[];
}

/** A cart as shown to clients. */
export class CartView {
  @ApiProperty({ example: 'alice' })
  readonly cart!: string;

  @ApiProperty({ type: [OrderLine] })
  readonly lines!: readonly OrderLine[];

  @ApiProperty({ example: 1_580 })
  readonly totalCents!: number;
}

export const emptyCart = (): Cart => ({ orderId: randomUUID(), lines: [] });

export const withLine = (cart: Cart, line: OrderLine): Cart => {
  const others = cart.lines.filter(({ sku }) => sku !== line.sku);
  return { ...cart, lines: [...others, { ...line, quantity: line.quantity + quantityOf(cart, line.sku) }] };
};

export const withoutLine = (cart: Cart, sku: string): Cart => ({
  ...cart,
  lines: cart.lines.filter((line) => line.sku !== sku),
});

export const quantityOf = ({ lines }: Cart, sku: string): number =>
  lines.find((line) => line.sku === sku)?.quantity ?? 0;

export const viewOf = (cart: string, { lines }: Cart): CartView => ({ cart, lines, totalCents: totalOf(lines) });
