import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { readJson, type Manifest } from '../support/workspace.js';
import { NEST_PACKAGES } from './nest-packages.js';

const { resolve } = createRequire(import.meta.url);

/** Returns the folder from which the package is loaded. */
function folderOf(name: string): string {
  let dir = dirname(resolve(name));
  while (!dir.endsWith(join(...name.split('/')))) dir = dirname(dir);
  return dir;
}

const versionOf = (name: string): string =>
  (JSON.parse(readFileSync(join(folderOf(name), 'package.json'), 'utf8')) as Manifest).version;

/** Returns a stack that contains the files of Nest, because Nest calls this. */
@Injectable()
class Caller implements OnModuleInit {
  stack = '';

  onModuleInit(): void {
    this.stack = new Error().stack ?? '';
  }
}

@Module({ providers: [Caller] })
class CallerModule {}

describe('The Nest versions in use', () => {
  const expected = process.env.ROOST_NEST_VERSIONS
    ? (JSON.parse(process.env.ROOST_NEST_VERSIONS) as Record<string, string>)
    : readJson<Manifest>('package.json').devDependencies!;

  it('are the versions that this run expects', () => {
    const used = Object.fromEntries(NEST_PACKAGES.map((name) => [name, versionOf(name)]));
    console.log(Object.entries(used).map((one) => one.join('@')).join(' ')); // prettier-ignore
    expect(used).toEqual(Object.fromEntries(NEST_PACKAGES.map((name) => [name, expected[name]])));
  });

  it('are the versions whose code runs', async () => {
    const app = await NestFactory.createApplicationContext(CallerModule, { logger: false });
    expect(app.get(Caller).stack).toContain(folderOf('@nestjs/core') + sep);
    await app.close();
  });
});
