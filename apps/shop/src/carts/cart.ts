import { ApiProperty } from '@nestjs/swagger';
import { randomUUID } from 'node:crypto';
import { OrderLine, totalOf } from '../orders/order.js';

export const MOST_OF_ONE = 100;

/** As it is kept. */
export interface Cart {
  /** The id that the next order of this cart will have. It is chosen before, so that ordering twice has no effect. */
  readonly orderId: string;
  readonly lines: readonly OrderLine[];
}

/** As it is shown. */
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
