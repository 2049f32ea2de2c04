import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';

export class Article {
  @ApiProperty({ example: 'tea' })
  readonly sku!: string;

  @ApiProperty({ example: 'Darjeeling, 100 g' })
  readonly name!: string;

  @ApiProperty({ example: 790 })
  readonly priceCents!: number;
}

const ARTICLES: readonly Article[] = [
  { sku: 'tea', name: 'Darjeeling, 100 g', priceCents: 790 },
  { sku: 'coffee', name: 'Espresso beans, 250 g', priceCents: 1_250 },
  { sku: 'mug', name: 'A mug', priceCents: 1_100 },
];

@Injectable()
export class Catalogue {
  all(): readonly Article[] {
    return ARTICLES;
  }

  find(sku: string): Article | undefined {
    return ARTICLES.find((article) => article.sku === sku);
  }
}
