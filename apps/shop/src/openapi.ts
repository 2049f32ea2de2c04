import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';

/** The page is at /api, the document at /api-json. */
export function addOpenApi(app: INestApplication): void {
  const about = new DocumentBuilder().setTitle('Shop').setVersion('0.1.0').addBearerAuth().build();
  SwaggerModule.setup('api', app, () => SwaggerModule.createDocument(app, about));
}
