import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';

const DESCRIPTION =
  'An order service that loses no confirmed order when it stops. Add items to a cart, check it out, and look at the ' +
  'statistics. During shutdown, new requests get 503 and in-flight requests are answered.';

const PROBES: Readonly<Record<string, string>> = {
  '/health/live': 'Check that the process is alive',
  '/health/ready': 'Check that the shop accepts requests',
  '/health/startup': 'Check that the shop has started',
};

/** Serves the page at /api and the document at /api-json. */
export function addOpenApi(app: INestApplication, adminToken: string | undefined): void {
  const about = new DocumentBuilder()
    .setTitle('Shop')
    .setDescription(DESCRIPTION)
    .setVersion('0.1.0')
    .addTag('articles', 'The catalogue')
    .addTag('carts', 'Fill a cart and order its contents')
    .addTag('orders', 'Confirmed orders')
    .addTag('statistics', 'Totals since the process started')
    .addTag('probes', 'Health checks for the orchestrator');
  // Only the admin route needs a token, and without a token there is no admin route.
  if (adminToken !== undefined) about.addTag('admin', 'Operate the shop').addBearerAuth();
  SwaggerModule.setup('api', app, () => withProbes(SwaggerModule.createDocument(app, about.build())));
}

/** Describes the routes of `HealthModule`, whose controller is not part of the shop. */
function withProbes(document: OpenAPIObject): OpenAPIObject {
  for (const [path, summary] of Object.entries(PROBES)) {
    const operation = document.paths[path]?.get;
    if (operation) Object.assign(operation, { summary, tags: ['probes'] });
  }
  return document;
}
