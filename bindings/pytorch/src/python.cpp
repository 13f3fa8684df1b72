// SPDX-License-Identifier: Apache-2.0
// jitnorm_torch._C: the operators as Python functions that take all their arguments by position. torch.ops would look
// up the operator and box its arguments in each call, which takes longer than to normalize a row. These functions
// return None, without calling the operator, if an argument is not of the plainest type or if torch.jit.trace or a mode
// watches calls. The caller then calls torch.ops, which converts arguments, finds functions that override the operator,
// reports errors, and lets others watch.
#include <torch/csrc/python_headers.h>

#include <ATen/PythonTorchFunctionTLS.h>
#include <ATen/TracerMode.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_variable.h>

#include "operation.hpp"

namespace jitnorm_torch {

namespace {

using at::Tensor;
using sizes = c10::SmallVector<int64_t, 4>;

// Each read() converts an argument. False if the argument is not of the plainest type.
bool read(PyObject *from, Tensor &to) {
    if (!THPVariable_CheckExact(from)) return false; // a subclass may have its own __torch_function__
    to = THPVariable_Unpack(from);
    return true;
}

bool read(PyObject *from, double &to) {
    if (!PyFloat_Check(from)) return false;
    to = PyFloat_AS_DOUBLE(from);
    return true;
}

bool read(PyObject *from, bool &to) {
    if (!PyBool_Check(from)) return false;
    to = from == Py_True;
    return true;
}

bool read(PyObject *from, sizes &to) {
    if (!PyTuple_Check(from) && !PyList_Check(from)) return false;
    const Py_ssize_t count = PySequence_Fast_GET_SIZE(from);
    for (Py_ssize_t i = 0; i < count; ++i) {
        PyObject *const size = PySequence_Fast_GET_ITEM(from, i);
        int overflow = 0;
        if (!PyLong_CheckExact(size)) return false;
        to.push_back(PyLong_AsLongLongAndOverflow(size, &overflow));
        if (overflow != 0) return false;
    }
    return true;
}

template <typename Value>
bool read(PyObject *from, c10::optional<Value> &to) {
    if (from == Py_None) return true;
    to.emplace();
    return read(from, *to);
}

PyObject *wrap(Tensor &&result) { return THPVariable_Wrap(std::move(result)); }

PyObject *wrap(two_tensors &&results) {
    PyObject *const first = wrap(std::move(std::get<0>(results))), *const second =
                                                                       wrap(std::move(std::get<1>(results)));
    PyObject *const both = first != nullptr && second != nullptr ? PyTuple_Pack(2, first, second) : nullptr;
    Py_XDECREF(first);
    Py_XDECREF(second);
    return both;
}

// Whether the call is inside the with statement of a torch.overrides.TorchFunctionMode. PyTorch 1.13 and later versions
// keep the mode in different ways.
template <typename State>
bool has_torch_function_mode() {
    if constexpr (requires { State::get_mode(); })
        return State::get_mode() != nullptr;
    else
        return State::stack_len() > 0;
}

// Whether torch.jit.trace or a mode watches calls.
bool are_watched() {
    return at::tracer::impl::is_dispatch_enabled() || has_torch_function_mode<at::impl::PythonTorchFunctionTLS>();
}

// The type that holds an argument until the operator is called. A list of sizes needs memory of its own.
template <typename Parameter>
using stored = std::conditional_t<std::is_same_v<Parameter, at::IntArrayRef>, sizes, std::decay_t<Parameter>>;

template <typename Result, typename... Parameters>
PyObject *call(const operation<Result, Parameters...> &run, PyObject *const *given, Py_ssize_t count) {
    std::tuple<stored<Parameters>...> arguments;
    const auto read_all = [&](auto &...argument) { return (read(*given++, argument) && ...); };
    if (count != sizeof...(Parameters) || are_watched() || !std::apply(read_all, arguments)) Py_RETURN_NONE;
    return wrap([&] {
        const pybind11::gil_scoped_release others_may_run;
        return std::apply(run, arguments);
    }());
}

// A function of the module. It calls the operator NAME.
template <typename Operation, const char *NAME>
PyObject *function(PyObject *, PyObject *const *given, Py_ssize_t count) {
    HANDLE_TH_ERRORS
    static const Operation run(NAME);
    return call(run, given, count);
    END_HANDLE_TH_ERRORS
}

constexpr char LAYER_NORM[] = "jitnorm::layer_norm", RMS_NORM[] = "jitnorm::rms_norm";
constexpr char ADD_LAYER_NORM[] = "jitnorm::add_layer_norm", ADD_RMS_NORM[] = "jitnorm::add_rms_norm";
constexpr char ADA_LAYER_NORM[] = "jitnorm::ada_layer_norm", GATED_RMS_NORM[] = "jitnorm::gated_rms_norm";

#define JITNORM_TEXT_OF(major, minor, patch) JITNORM_TEXT(major, minor, patch)
#define JITNORM_TEXT(major, minor, patch) #major "." #minor "." #patch
constexpr char VERSION[] = JITNORM_TEXT_OF(JITNORM_VERSION_MAJOR, JITNORM_VERSION_MINOR, JITNORM_VERSION_PATCH);

// A row of the module's table. PyMethodDef has one pointer type for functions of all signatures, and METH_FASTCALL says
// which signature this function has.
PyMethodDef method(const char *name, PyObject *(*address)(PyObject *, PyObject *const *, Py_ssize_t)) {
    return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(address)), METH_FASTCALL, nullptr};
}

} // namespace

} // namespace jitnorm_torch

PyMODINIT_FUNC PyInit__C() {
    using namespace jitnorm_torch;
    static PyMethodDef methods[] = {method("layer_norm", function<layer_norm_operation, LAYER_NORM>),
                                    method("rms_norm", function<rms_norm_operation, RMS_NORM>),
                                    method("add_layer_norm", function<add_layer_norm_operation, ADD_LAYER_NORM>),
                                    method("add_rms_norm", function<add_rms_norm_operation, ADD_RMS_NORM>),
                                    method("ada_layer_norm", function<ada_layer_norm_operation, ADA_LAYER_NORM>),
                                    method("gated_rms_norm", function<gated_rms_norm_operation, GATED_RMS_NORM>),
                                    {}};
    static PyModuleDef definition = {
        PyModuleDef_HEAD_INIT, "jitnorm_torch._C", nullptr, -1, methods, nullptr, nullptr, nullptr, nullptr};
    PyObject *const made = PyModule_Create(&definition);
    if (made == nullptr || PyModule_AddStringConstant(made, "version", VERSION) == 0) return made;
    Py_DECREF(made);
    return nullptr;
}
