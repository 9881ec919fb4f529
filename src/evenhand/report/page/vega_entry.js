import {parse, View, Warn, Error as Silent} from 'vega';
import {compile} from 'vega-lite';
import {expressionInterpreter} from 'vega-interpreter';
globalThis.vegaBundle = {parse, View, compile, expressionInterpreter, Silent};
