import { Module } from '@nestjs/common';
import { ArticlesController } from './articles.controller.js';
import { Catalogue } from './catalogue.js';

@Module({ controllers: [ArticlesController], providers: [Catalogue], exports: [Catalogue] })
export class ArticlesModule {}
