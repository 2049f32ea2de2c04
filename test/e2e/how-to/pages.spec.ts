import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_DRAIN_OPTIONS } from '@roost/drain';
import { filesBelow, type Manifest, readJson, readText, ROOT } from '../../support/workspace.js';

const PAGES = filesBelow('docs/how-to');

/** Packages by the name that the pages use for them, in front of a version. */
const PACKAGES = {
  'Apollo Server': '@apollo/server',
  BullMQ: 'bullmq',
  Drizzle: 'drizzle-orm',
  Mongoose: 'mongoose',
  TypeORM: 'typeorm',
  '`@nestjs/bullmq`': '@nestjs/bullmq',
  '`@nestjs/graphql`': '@nestjs/graphql',
  '`@nestjs/mongoose`': '@nestjs/mongoose',
  '`@nestjs/typeorm`': '@nestjs/typeorm',
  '`graphql-ws`': 'graphql-ws',
  '`nestjs-cls`': 'nestjs-cls',
  '`nestjs-pino`': 'nestjs-pino',
  '`pg`': 'pg',
};

describe('The how-to pages', () => {
  it('each have a spec that runs their code', () => {
    const specs = PAGES.map((page) => page.replace('docs/', 'test/e2e/').replace(/\.md$/, '.spec.ts'));
    expect(specs.length).toBeGreaterThan(10);
    expect(specs.filter((spec) => !existsSync(join(ROOT, spec)))).toEqual([]);
  });

  it('name the versions that are installed', () => {
    const { devDependencies = {} } = readJson<Manifest>('package.json');
    const named = PAGES.flatMap((page) =>
      Object.entries(PACKAGES).flatMap(([name, id]) =>
        [...readText(page).matchAll(new RegExp(`${name} (\\d+(?:\\.\\d+)?)\\b`, 'g'))].map(([, version]) => [
          id,
          version!,
        ]),
      ),
    ) as [string, string][];
    expect(new Set(named.map(([id]) => id))).toEqual(new Set(Object.values(PACKAGES)));
    expect(named.filter(([id, version]) => !`${devDependencies[id]}.`.startsWith(`${version}.`))).toEqual([]);
  });

  it('name the default of maxWaitMs', () => {
    const named = PAGES.flatMap((page) => [
      ...readText(page).matchAll(/`maxWaitMs` of the drain \((\d+) s by default/g),
    ]);
    expect(named.length).toBeGreaterThan(0);
    for (const [, seconds] of named) expect(Number(seconds) * 1_000).toBe(DEFAULT_DRAIN_OPTIONS.maxWaitMs);
  });
});
