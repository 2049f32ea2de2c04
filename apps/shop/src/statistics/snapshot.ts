import { ApiProperty } from '@nestjs/swagger';

export class Totals {
  @ApiProperty()
  readonly orders!: number;

  @ApiProperty()
  readonly revenueCents!: number;
}

/** All of it is about the same orders. */
export class Snapshot extends Totals {
  @ApiProperty({
    format: 'date-time',
    description: 'In logical time: when the last of these orders was confirmed, or a second',
  })
  readonly at!: string;

  @ApiProperty({ type: 'object', additionalProperties: { type: 'number' }, example: { tea: 2 } })
  readonly sold!: Readonly<Record<string, number>>;

  @ApiProperty({ type: Totals })
  readonly lastMinute!: Totals;
}

export const NO_TOTALS: Totals = { orders: 0, revenueCents: 0 };
