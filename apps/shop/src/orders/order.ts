import { ApiProperty } from '@nestjs/swagger';

export class OrderLine {
  @ApiProperty({ example: 'tea' })
  readonly sku!: string;

  @ApiProperty({ example: 2 })
  readonly quantity!: number;

  @ApiProperty({ example: 790, description: 'Price of one item in cents' })
  readonly priceCents!: number;
}

/** An order as placed. It never changes. */
export class PlacedOrder {
  @ApiProperty({ format: 'uuid' })
  readonly id!: string;

  @ApiProperty({ example: 'alice' })
  readonly cart!: string;

  @ApiProperty({ type: [OrderLine] })
  readonly lines!: readonly OrderLine[];

  @ApiProperty({ example: 1_580 })
  readonly totalCents!: number;

  @ApiProperty({ format: 'date-time' })
  readonly placedAt!: string;
}

export class Order extends PlacedOrder {
  @ApiProperty({ enum: ['placed', 'shipped'] })
  readonly status!: 'placed' | 'shipped';

  @ApiProperty({ format: 'date-time', required: false })
  readonly shippedAt?: string;
}

export const totalOf = (lines: readonly OrderLine[]): number =>
  lines.reduce((sum, { quantity, priceCents }) => sum + quantity * priceCents, 0);
