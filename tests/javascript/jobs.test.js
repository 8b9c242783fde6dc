// Workers and single jobs: completing, failing with retries and back-off, BPMN errors, updates.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { activate, camunda, deploy, ended, getInstance, now, refused, start, variablesOf } from './support.js';

before(() => deploy('order.bpmn'));

const type = 'collect-money';
const jobsOf = async processInstanceKey =>
  (await camunda.searchJobs({ filter: { processInstanceKey } }, now)).items;

test('a worker completes the jobs of many instances', async () => {
  const handled = new Set();
  const worker = camunda.createJobWorker({
    jobType: type, maxParallelJobs: 5, jobTimeoutMs: 30_000, pollTimeoutMs: 2_000, workerName: 'cashier',
    jobHandler: job => {
      handled.add(job.processInstanceKey);
      return job.complete({ paid: job.variables.amount, method: job.customHeaders.method });
    },
  });
  const keys = [];
  for (let amount = 0; amount < 20; amount++) keys.push(await start('order', { amount }));
  for (const key of keys) assert.equal((await ended(key)).state, 'COMPLETED');
  worker.stop();
  assert.ok(keys.every(key => handled.has(key)));
  assert.deepEqual(await variablesOf(keys[7]), { amount: 7, paid: 7, method: 'card' });
});

test('an activated job carries what a worker needs', async () => {
  const key = await start('order', { amount: 3, other: true });
  const job = await activate(type, key, { fetchVariable: ['amount'] });
  assert.deepEqual(job.variables, { amount: 3 });
  assert.deepEqual(job.customHeaders, { method: 'card' });
  assert.equal(job.retries, 3);
  assert.equal(job.elementId, 'collect');
  assert.equal(job.worker, 'scenario');
  assert.ok(Math.abs(job.deadline - Date.now() - 60_000) < 10_000, String(job.deadline));
  await job.complete();
  assert.equal((await ended(key)).state, 'COMPLETED');
});

test('an activation without work answers with no jobs', async () => {
  const { jobs } = await camunda.activateJobs(
    { type: 'nobody-asks', timeout: 1_000, maxJobsToActivate: 1, requestTimeout: -1 });
  assert.deepEqual(jobs, []);
});

test('a long poll gets the job as soon as it exists', async () => {
  const poll = camunda.activateJobs({ type, worker: 'scenario', timeout: 60_000, maxJobsToActivate: 1, requestTimeout: 10_000 });
  await new Promise(resolve => setTimeout(resolve, 200));
  const began = Date.now();
  const key = await start('order');
  const { jobs } = await poll;
  assert.equal(jobs[0].processInstanceKey, key);
  assert.ok(Date.now() - began < 5_000);
  await jobs[0].complete();
});

test('a failed job is tried again until its retries are used up', async () => {
  const key = await start('order');
  await (await activate(type, key)).fail({ retries: 1, errorMessage: 'no connection' });
  const [failed] = await jobsOf(key);
  assert.equal(failed.retries, 1);
  assert.equal(failed.errorMessage, 'no connection');
  await (await activate(type, key)).fail({ retries: 0, errorMessage: 'still none' });
  const incidents = await camunda.searchIncidents({ filter: { processInstanceKey: key } }, now);
  assert.deepEqual(incidents.items.map(one => [one.errorType, one.errorMessage, one.state]),
    [['JOB_NO_RETRIES', 'still none', 'ACTIVE']]);
  assert.equal((await getInstance(key)).hasIncident, true);

  const { incidentKey, jobKey } = incidents.items[0];
  await refused(409, /./, () => camunda.resolveIncident({ incidentKey }));
  await camunda.updateJob({ jobKey, changeset: { retries: 2 } });
  await camunda.resolveIncident({ incidentKey });
  assert.equal((await getInstance(key)).hasIncident, false);
  await (await activate(type, key)).complete();
  assert.equal((await ended(key)).state, 'COMPLETED');
});

test('a back-off keeps the job away for a while', async () => {
  const key = await start('order');
  await (await activate(type, key)).fail({ retries: 2, retryBackOff: 700, errorMessage: 'later' });
  const failedAt = Date.now();
  const early = await camunda.activateJobs({ type, worker: 'scenario', timeout: 60_000, maxJobsToActivate: 10, requestTimeout: -1 });
  assert.ok(!early.jobs.some(job => job.processInstanceKey === key));
  const job = await activate(type, key);
  assert.ok(Date.now() - failedAt >= 500, 'the back-off was kept');
  await job.complete();
});

test('a lease that runs out gives the job to the next worker', async () => {
  const key = await start('order');
  const first = await activate(type, key, { timeout: 300 });
  const second = await activate(type, key);
  assert.equal(second.jobKey, first.jobKey);
  await second.complete();
});

test('a BPMN error goes the way of its boundary event', async () => {
  const key = await start('order');
  await (await activate(type, key)).error({ errorCode: 'DECLINED', errorMessage: 'card blocked', variables: { reason: 'blocked' } });
  assert.equal((await ended(key)).state, 'COMPLETED');
  const taken = await camunda.searchElementInstances({ filter: { processInstanceKey: key, elementId: 'refused' } }, now);
  assert.equal(taken.page.totalItems, 1);
  assert.equal((await variablesOf(key)).reason, 'blocked');
});

test('a BPMN error that nobody catches is an incident', async () => {
  const key = await start('order');
  const job = await activate(type, key);
  await camunda.throwJobError({ jobKey: job.jobKey, errorCode: 'UNKNOWN' });
  const incidents = await camunda.searchIncidents({ filter: { processInstanceKey: key } }, now);
  assert.deepEqual(incidents.items.map(one => one.errorType), ['UNHANDLED_ERROR_EVENT']);
  await refused(409, /./, () => camunda.completeJob({ jobKey: job.jobKey }));
});

test('a completed job is gone', async () => {
  const key = await start('order');
  const { jobKey } = await activate(type, key);
  await camunda.completeJob({ jobKey, variables: {} });
  for (const call of [camunda.completeJob, camunda.failJob]) {
    await refused(404, /but no such job was found/, () => call.call(camunda, { jobKey }));
  }
  const [job] = await jobsOf(key);
  assert.equal(job.state, 'COMPLETED');
  assert.ok(job.endTime);
});

test('retries and time-out of a job can be changed', async () => {
  const key = await start('order');
  const job = await activate(type, key, { timeout: 30_000 });
  await job.modifyJobTimeout({ newTimeoutMs: 120_000 });
  await job.modifyRetries({ retries: 9 });
  const [changed] = await jobsOf(key);
  assert.equal(changed.retries, 9);
  assert.ok(Date.parse(changed.deadline) - Date.now() > 100_000, changed.deadline);
});
