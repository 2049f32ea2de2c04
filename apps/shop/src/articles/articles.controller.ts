import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Article, Catalogue } from './catalogue.js';

@ApiTags('articles')
@Controller('articles')
export class ArticlesController {
  constructor(private readonly catalogue: Catalogue) {}

  @Get()
  @ApiOperation({ summary: 'List all articles' })
  @ApiOkResponse({ type: [Article] })
  all(): readonly Article[] {
    return this.catalogue.all();
  }
}
