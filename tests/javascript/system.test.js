// Topology, status, licence, configuration, and the clock that tests can set.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { camunda, deploy, ended, getInstance, start } from './support.js';

before(() => deploy('reminder.bpmn'));
after(() => camunda.resetClock());

test('the topology names one healthy leader per partition', async () => {
  const topology = await camunda.getTopology();
  assert.equal(topology.brokers.length, topology.clusterSize);
  const partitions = topology.brokers.flatMap(broker => broker.partitions);
  assert.equal(partitions.length, topology.partitionsCount);
  assert.ok(partitions.every(partition => partition.role === 'leader' && partition.health === 'healthy'));
});

test('the status is healthy', async () => {
  await camunda.getStatus();
});

test('the licence asks for nothing', async () => {
  const license = await camunda.getLicense();
  assert.equal(license.validLicense, false);
  assert.equal(license.isCommercial, false);
});

test('the system configuration can be read', async () => {
  const configuration = await camunda.getSystemConfiguration();
  assert.equal(typeof configuration, 'object');
});

test('a pinned clock lets a timer of a day fire at once', async () => {
  const key = await start('reminder');
  assert.equal((await getInstance(key)).state, 'ACTIVE');
  const tomorrow = Date.now() + 25 * 60 * 60 * 1000;
  await camunda.pinClock({ timestamp: tomorrow });
  const instance = await ended(key);
  assert.equal(instance.state, 'COMPLETED');
  assert.ok(Math.abs(Date.parse(instance.endDate) - tomorrow) < 5_000, instance.endDate);
  await camunda.resetClock();
});
