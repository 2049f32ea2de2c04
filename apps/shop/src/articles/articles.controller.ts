import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Article, Catalogue } from './catalogue.js';

@ApiTags('articles')
@Controller('articles')
export class ArticlesController {
  constructor(private readonly catalogue: Catalogue) {}

  @Get()
  @ApiOkResponse({ type: [Article] })
  all(): readonly Article[] {
    return this.catalogue.all();
  }
}
