import { ApiProperty } from '@nestjs/swagger';
import { IsInt, IsString, Matches, Max, MaxLength, Min } from 'class-validator';
import { MOST_OF_ONE } from './cart.js';

export class CartParams {
  @ApiProperty({ example: 'alice', pattern: '^[\\w-]{1,40}$' })
  @Matches(/^[\w-]{1,40}$/)
  readonly cart!: string;
}

export class CartItemParams extends CartParams {
  @ApiProperty({ example: 'tea' })
  @IsString()
  readonly sku!: string;
}

export class AddItemDto {
  @ApiProperty({ example: 'tea' })
  @IsString()
  @MaxLength(40)
  readonly sku!: string;

  @ApiProperty({ example: 2, minimum: 1, maximum: MOST_OF_ONE })
  @IsInt()
  @Min(1)
  @Max(MOST_OF_ONE)
  readonly quantity!: number;
}
