#!/bin/sh
# Takes the payment of an order, for `tidemill worker payment --exec examples/pay.sh`. The variables of the job come on
# standard input as JSON; what is printed becomes variables of the instance. Exit code 0 completes the job, 100 throws
# a BPMN error that the model catches, any other fails the job, which is tried again while it has retries.
amount=$(tr -d '\n' | sed -n 's/.*"amount": *\([0-9][0-9]*\).*/\1/p')   # real workers read JSON with a parser
[ -n "$amount" ] || { echo "Expected a variable 'amount' with a number, but there is none" >&2; exit 1; }
if [ "$amount" -gt 1000 ]; then
    echo '{"errorCode": "DECLINED", "errorMessage": "more than the card allows"}'
    exit 100
fi
echo "{\"paid\": $amount}"
