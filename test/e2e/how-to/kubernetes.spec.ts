import { DEFAULT_DRAIN_OPTIONS } from '@roost/drain';
import { DEFAULT_SHUTDOWN_OPTIONS } from '@roost/shutdown';
import { parseDuration } from '@roost/time';
import { parseAllDocuments } from 'yaml';
import { blockOf } from '../../support/page-program.js';
import { expectToRun, msIn, rowOf } from './deployed.js';

interface Probe {
  httpGet: { path: string; port: number };
  periodSeconds: number;
  failureThreshold: number;
}

interface Container {
  command: string[];
  env: { name: string; value: string }[];
  ports: { containerPort: number }[];
  startupProbe: Probe;
  readinessProbe: Probe;
  livenessProbe: Probe;
}

type Labels = Record<string, string>;

interface Deployment {
  spec: {
    replicas: number;
    selector: { matchLabels: Labels };
    strategy: { type: string; rollingUpdate: { maxUnavailable: number; maxSurge: number } };
    template: {
      metadata: { labels: Labels };
      spec: { terminationGracePeriodSeconds: number; containers: Container[] };
    };
  };
}

interface Service {
  spec: { selector: Labels; ports: { targetPort: number }[] };
}

interface DisruptionBudget {
  spec: { minAvailable: number; selector: { matchLabels: Labels } };
}

const PAGE = 'docs/how-to/kubernetes.md';
const [deployment, service, budget] = parseAllDocuments(blockOf(PAGE, 'orders.yaml')).map((document) => {
  if (document.errors.length > 0) throw document.errors[0]!;
  return document.toJS() as unknown;
}) as [Deployment, Service, DisruptionBudget];
const { template, selector, strategy, replicas } = deployment.spec;
const { terminationGracePeriodSeconds, containers } = template.spec;
const container = containers[0]!;
const env = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));
const probes = [container.startupProbe, container.readinessProbe, container.livenessProbe];

describe('the Kubernetes manifest', () => {
  it('has a Deployment, a Service and a PodDisruptionBudget', () => {
    expect([deployment, service, budget]).toMatchObject([
      { apiVersion: 'apps/v1', kind: 'Deployment' },
      { apiVersion: 'v1', kind: 'Service' },
      { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' },
    ]);
  });

  it('selects its pods in all three', () => {
    const { labels } = template.metadata;
    expect(selector.matchLabels).toEqual(labels);
    expect(service.spec.selector).toEqual(labels);
    expect(budget.spec.selector.matchLabels).toEqual(labels);
  });

  it('uses one port for the application, the Service and the probes', () => {
    const port = Number(env['PORT']);
    expect(container.ports).toEqual([{ containerPort: port }]);
    expect(service.spec.ports.map(({ targetPort }) => targetPort)).toEqual([port]);
    expect(probes.map(({ httpGet }) => httpGet.port)).toEqual([port, port, port]);
  });

  it('starts a new pod before it stops an old one, and lets a node be drained', () => {
    expect(strategy).toEqual({ type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } });
    expect(budget.spec.minAvailable).toBeLessThan(replicas);
  });

  it('tells the application its grace period', () => {
    expect(Number(env['GRACE_PERIOD_SECONDS'])).toBe(terminationGracePeriodSeconds);
  });

  it('gives proxies longer than a readiness probe takes', () => {
    const { periodSeconds, failureThreshold } = container.readinessProbe;
    const noticedMs = periodSeconds * failureThreshold * 1_000;
    expect(parseDuration(env['ROOST_DRAIN_LAME_DUCK_MS']!)).toBeGreaterThanOrEqual(noticedMs);
  });

  it('boots the application without a warning, and stops it within the grace period', async () => {
    await expectToRun({
      command: container.command,
      env,
      gracePeriodMs: terminationGracePeriodSeconds * 1_000,
      probes: probes.map(({ httpGet }) => httpGet.path),
    });
  }, 60_000);
});

describe('the table of the Kubernetes page', () => {
  it.each([
    ['terminationGracePeriodSeconds', terminationGracePeriodSeconds * 1_000, DEFAULT_SHUTDOWN_OPTIONS.gracePeriodMs],
    ['ROOST_TIMEOUT_MS', parseDuration(env['ROOST_TIMEOUT_MS']!), DEFAULT_SHUTDOWN_OPTIONS.timeoutMs],
    ['ROOST_DRAIN_LAME_DUCK_MS', parseDuration(env['ROOST_DRAIN_LAME_DUCK_MS']!), DEFAULT_DRAIN_OPTIONS.lameDuckMs],
    ['ROOST_DRAIN_MAX_WAIT_MS', NaN, DEFAULT_DRAIN_OPTIONS.maxWaitMs],
  ])('has %s of the manifest and its default', (name, here, byDefault) => {
    expect(rowOf(PAGE, name).slice(0, 2).map(msIn)).toEqual([here, byDefault]);
  });
});
