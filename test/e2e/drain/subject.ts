import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DrainOptions } from '@roost/drain';
import type { CoordinatedShutdownOptions } from '@roost/shutdown';
import { AppProcess } from '../../support/app-process.js';
import { ROOT } from '../../support/workspace.js';
import { DrainApp } from './drain-app.js';
import { ForeignApp } from './foreign-app.js';
import type { Variant } from './variants.js';

const PROGRAM = 'bench/dist/fixtures/drain-app/main.js';
const CERTIFICATE = join(ROOT, 'test/e2e/drain/certificate');
const PRELOAD = join(ROOT, '.tsout/test/e2e/drain/mutants/preload.js');

/** Input of the program, in addition to the variant. */
export interface AppPlan {
  drain?: DrainOptions;
  shutdown?: CoordinatedShutdownOptions;
  /** Port of the probes. 0 chooses any free port. */
  probePort?: number;
  secondServer?: boolean;
  secondApp?: boolean;
  slowBoot?: boolean;
  throwingHook?: boolean;
  leak?: boolean;
  host?: string;
}

export interface SubjectOptions {
  /** `stock` is plain Nest. Other values name a library on npm. @default 'roost' */
  kind?: string;
  /** Whether to check only the outcome, not Roost's way to achieve it. */
  isForeign?: boolean;
  /** A mutation from `mutants/`, applied to the built packages before the program starts. */
  mutant?: string;
}

/** The application that a case runs against. */
export class Subject {
  readonly #apps: DrainApp[] = [];

  constructor(
    readonly variant: Variant,
    private readonly options: SubjectOptions = {},
  ) {}

  /** Starts an application without waiting for it. */
  start(plan: AppPlan = {}): DrainApp {
    const { kind = 'roost', mutant, isForeign } = this.options;
    const key = join(CERTIFICATE, 'test-only.key.pem');
    const cert = join(CERTIFICATE, 'test-only.cert.pem');
    const nodeArgs = mutant ? ['--import', `${pathToFileURL(PRELOAD).href}?mutant=${mutant}`] : [];
    const args = [JSON.stringify({ subject: kind, ...this.variant, key, cert, ...plan })];
    const App = isForeign ? ForeignApp : DrainApp;
    const app = new App(new AppProcess(PROGRAM, { args, nodeArgs }), this.variant.scheme);
    this.#apps.push(app);
    return app;
  }

  /** Starts an application and waits until it is up. */
  async launch(plan?: AppPlan): Promise<DrainApp> {
    const app = this.start(plan);
    await app.process.line(/^ready$/);
    return app;
  }

  /** Stops everything that the case has started or opened. */
  async dispose(): Promise<void> {
    await Promise.all(this.#apps.map((app) => app.dispose()));
  }
}
