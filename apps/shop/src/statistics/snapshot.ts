import { ApiProperty } from '@nestjs/swagger';

export class Totals {
  @ApiProperty()
  readonly orders!: number;

  @ApiProperty()
  readonly revenueCents!: number;
}

/** All fields describe the same orders. */
export class Snapshot extends Totals {
  @ApiProperty({
    format: 'date-time',
    description: 'Logical time of the snapshot: the last confirmed order, or the last full second',
  })
  readonly at!: string;

  @ApiProperty({ type: 'object', additionalProperties: { type: 'number' }, example: { tea: 2 } })
  readonly sold!: Readonly<Record<string, number>>;

  @ApiProperty({ type: Totals })
  readonly lastMinute!: Totals;
}

export const NO_TOTALS: Totals = { orders: 0, revenueCents: 0 };
