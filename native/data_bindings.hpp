// Designs and losses as Python passes them, losses that are Python functions, arrays that are handed back, interrupts.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bindings.hpp"
#include "buffer_pool.hpp"
#include "designs.hpp"
#include "loops.hpp"
#include "losses.hpp"

namespace greedyhull {

// What NumPy makes arrays with, and the type of their entries where that is not float64.
inline PyObject* numpy_empty() {
    static PyObject* const made = nb::object(nb::module_::import_("numpy").attr("empty")).release().ptr();
    return made;
}
inline PyObject* numpy_type(const double*) { return nullptr; }
inline PyObject* numpy_type(const Index*) {
    static PyObject* const made = nb::module_::import_("numpy").attr("dtype")("int64").release().ptr();
    return made;
}

// A short copy that NumPy has made room for: half the time of an array that owns memory of ours.
template <class T>
nb::object short_array(const T* from, Index n) {
    const nb::object size = nb::int_(n);
    const nb::object made = nb::steal(PyObject_CallFunctionObjArgs(numpy_empty(), size.ptr(), numpy_type(from), nullptr));
    Py_buffer room;
    if (!made.is_valid() || PyObject_GetBuffer(made.ptr(), &room, PyBUF_SIMPLE | PyBUF_WRITABLE) != 0) throw nb::python_error();
    std::memcpy(room.buf, from, static_cast<std::size_t>(n) * sizeof(T));
    PyBuffer_Release(&room);
    return made;
}

// A copy that NumPy owns; a long one in memory that later runs may have again.
template <class T, class A>
nb::object as_array(const std::vector<T, A>& v, Index first) {  // of some entries
    if (first > 0 && first * static_cast<Index>(sizeof(T)) < POOL_FROM) return short_array(v.data(), first);
    auto copy = std::make_unique<Scratch<T>>();
    copy->reserve(static_cast<std::size_t>(first) + 1);  // no array without an address
    copy->assign(v.begin(), v.begin() + first);
    const nb::capsule owner(copy.get(), [](void* p) noexcept { delete static_cast<Scratch<T>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(copy.release()->data(), {static_cast<std::size_t>(first)}, owner));
}
template <class T, class A>
nb::object as_array(const std::vector<T, A>& v) {
    return as_array(v, static_cast<Index>(v.size()));
}
template <class T>
std::vector<T> as_vector(nb::handle object) {
    const auto a = nb::cast<Vector<const T>>(object);
    return std::vector<T>(a.data(), a.data() + a.shape(0));
}

// A loss that the core knows, given as (kind, parameter, y, p); smoothed ones as (kind, mu, y, p, low, high, epsilon, hinge).
inline std::unique_ptr<SmoothLoss> named_loss(const nb::tuple& named, Index n, bool intercept, nb::list& alive) {
    const auto y = nb::cast<Vector<const double>>(named[2]), p = nb::cast<Vector<const double>>(named[3]);
    expect(static_cast<Index>(y.shape(0)) == n, "one target a row is wanted");
    expect(p.shape(0) == 1 || static_cast<Index>(p.shape(0)) == n, "one weight a row is wanted");
    const int kind = nb::cast<int>(named[0]);
    const double parameter = nb::cast<double>(named[1]);
    std::unique_ptr<SmoothLoss> loss;
    if (kind == SOFTENED) {
        const Softs terms{nb::cast<double>(named[4]), nb::cast<double>(named[5]), nb::cast<double>(named[6]), parameter,
                          nb::cast<bool>(named[7])};
        loss = std::make_unique<Softened>(terms, span(y), span(p), intercept);
    } else {
        loss = loss_named(kind, parameter, span(y), span(p), intercept);
    }
    expect(loss != nullptr, "a loss that the core knows is wanted");
    alive.append(named[2]), alive.append(named[3]);
    return loss;
}

template <class T>
Dense<T> dense_design(const nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>& X, nb::list& alive) {
    const Index n = static_cast<Index>(X.shape(0)), d = static_cast<Index>(X.shape(1));
    const Index down = n == 1 && X.stride(1) != 1 ? 1 : X.stride(0), across = d == 1 && X.stride(0) != 1 ? 1 : X.stride(1);
    expect(down == 1 || across == 1, "contiguous rows or columns are wanted");
    alive.append(nb::cast(X));
    return {X.data(), n, d, down, across};
}

template <class T, class I>
ByColumn<T, I> sparse_design(const Vector<const Index>& starts, const Vector<const I>& places, const Vector<const T>& entries,
                             Index n, nb::list& alive) {
    const Index d = static_cast<Index>(starts.shape(0)) - 1;
    expect(d >= 0 && starts.data()[0] == 0 && starts.data()[d] == static_cast<Index>(places.shape(0)) &&
               places.shape(0) == entries.shape(0), "a sparse matrix: the arrays do not fit together");
    for (Index j = 0; j < d; j++) expect(starts.data()[j] <= starts.data()[j + 1], "a sparse matrix: starts fall");
    expect_below(span(places), n, "a sparse matrix: a row is not there");
    alive.append(nb::cast(starts)), alive.append(nb::cast(places)), alive.append(nb::cast(entries));
    return {{span(starts), span(places), span(entries)}, n, d};
}

// make(X, alive, ...) as dense_NAME(X, ...) or as sparse_NAME(starts, places, entries, n, ...), by the kind of its data.
template <class T, class R, class... A>
void def_design(nb::module_& m, const std::string& name, R (*make)(Dense<T>, nb::list, A...)) {
    const auto call = [make](nb::ndarray<const T, nb::ndim<2>, nb::device::cpu> X, A... about) {
        nb::list alive;
        const Dense<T> data = dense_design(X, alive);
        return make(data, alive, about...);
    };
    m.def(("dense_" + name).c_str(), call, nb::arg().noconvert(), argument<A>()...);
}
template <class T, class I, class R, class... A>
void def_design(nb::module_& m, const std::string& name, R (*make)(ByColumn<T, I>, nb::list, A...)) {
    const auto call = [make](Vector<const Index> starts, Vector<const I> places, Vector<const T> entries, Index n, A... about) {
        nb::list alive;
        const ByColumn<T, I> data = sparse_design(starts, places, entries, n, alive);
        return make(data, alive, about...);
    };
    const auto plain = nb::arg().noconvert();
    m.def(("sparse_" + name).c_str(), call, plain, plain, plain, nb::arg(), argument<A>()...);
}

// f(Design<D>()) for every kind D of data.
template <class D>
struct Design {
    using type = D;
};
template <class F>
void each_design(F f) {
    f(Design<Dense<double>>()), f(Design<Dense<float>>());
    f(Design<ByColumn<double, std::uint32_t>>()), f(Design<ByColumn<double, std::uint64_t>>());
    f(Design<ByColumn<float, std::uint32_t>>()), f(Design<ByColumn<float, std::uint64_t>>());
}

// A matrix with a point in each row, or (starts, places, entries) of one that is compressed by row.
inline Points points_of(const nb::object& given, Index d, nb::list& alive) {
    Points points;
    points.across = d;
    alive.append(given);
    if (!nb::isinstance<nb::tuple>(given)) {
        const auto rows = nb::cast<Table2<const double>>(given);
        expect(static_cast<Index>(rows.shape(1)) == d, "points with a coordinate for each column are wanted");
        points.rows = rows.data(), points.count = static_cast<Index>(rows.shape(0));
        return points;
    }
    const nb::tuple parts = nb::cast<nb::tuple>(given);
    const auto starts = nb::cast<Vector<const Index>>(parts[0]);
    const auto entries = nb::cast<Vector<const double>>(parts[2]);
    points.starts = starts.data(), points.entries = entries.data(), points.count = static_cast<Index>(starts.shape(0)) - 1;
    Vector<const std::int32_t> few;
    Vector<const Index> many;
    std::size_t size = 0;
    if (nb::try_cast(parts[1], few, false)) {
        expect_below(span(few), d, "points: a coordinate is not there");
        points.short_places = few.data(), size = few.shape(0);
    } else {
        many = nb::cast<Vector<const Index>>(parts[1]);
        expect_below(span(many), d, "points: a coordinate is not there");
        points.long_places = many.data(), size = many.shape(0);
    }
    expect(points.count > 0 && starts.data()[0] == 0 && starts.data()[points.count] == static_cast<Index>(size) &&
               size == entries.shape(0), "points: the arrays do not fit together");
    for (Index j = 0; j < points.count; j++) expect(starts.data()[j] <= starts.data()[j + 1], "points: starts fall");
    return points;
}

// Whether a loop that runs without the GIL must end: Python is asked every ten milliseconds. Ctrl-C is an exception.
class Asking {
   public:
    explicit Asking(const nb::callable& asked) : asked_(asked), last_(std::chrono::steady_clock::now()) {}
    bool operator()() {
        if (ended_) return true;  // inner loops ask too, and what one of them heard holds for those around it
        const auto now = std::chrono::steady_clock::now();
        if (now - last_ < std::chrono::milliseconds(10)) return false;
        while (finalizing()) std::this_thread::sleep_for(std::chrono::seconds(1));  // Python would end this thread in its frames
        nb::gil_scoped_acquire held;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        last_ = now;
        return ended_ = nb::cast<bool>(asked_());
    }

   private:
    const nb::callable& asked_;
    std::chrono::steady_clock::time_point last_;
    bool ended_ = false;

    // Whether the interpreter is going away under a thread of some pool that is still at work.
    static bool finalizing() {
#if PY_VERSION_HEX >= 0x030D0000
        return Py_IsFinalizing() != 0;
#else
        return _Py_IsFinalizing() != 0;
#endif
    }
};

// What Python can do with rounds of any kind.
class AnyRounds {
   public:
    virtual ~AnyRounds() = default;
    virtual double look() = 0;
    virtual double value() const = 0;  // of f where the rounds stand
    virtual nb::tuple advance(Index rounds, double absolute, double relative, double floor, double lower, nb::callable asked) = 0;
    virtual nb::tuple seen() const = 0;  // z, the value there, the residual and the gradient
    virtual nb::dict state() const = 0;
    virtual void restore(nb::dict state) = 0;
};

template <class R>
nb::class_<R> rounds_class(nb::module_& m, const char* name) {
    return nb::class_<R>(m, name)
        .def("look", [](R& rounds) { return rounds.look(); })
        .def("value", [](R& rounds) { return rounds.value(); })
        .def("advance", [](R& rounds, Index limit, double absolute, double relative, double floor, double lower,
                           nb::callable asked) { return rounds.advance(limit, absolute, relative, floor, lower, asked); })
        .def("seen", [](R& rounds) { return rounds.seen(); })
        .def("state", [](R& rounds) { return rounds.state(); })
        .def("restore", [](R& rounds, nb::dict state) { rounds.restore(state); });
}

// Rounds that Python holds: with them, the arrays that they point to.
template <class Interface, class Core>
class Held : public Interface {
   public:
    template <class... About>
    explicit Held(nb::list alive, About&&... about) : core_(std::forward<About>(about)...), alive_(std::move(alive)) {}
    double look() override {
        nb::gil_scoped_release free;
        return core_.look();
    }
    double value() const override { return core_.value(); }
    // How the rounds ended, and a row for each.
    nb::tuple advance(Index rounds, double absolute, double relative, double floor, double lower, nb::callable asked) override {
        std::vector<RoundRow> trace;
        Ending ending;
        {
            nb::gil_scoped_release free;
            Asking ask(asked);
            ending = run_rounds(core_, {rounds, absolute, relative, floor, 0.0, lower}, std::ref(ask), trace);
        }
        nb::list rows;
        for (const RoundRow& row : trace) rows.append(nb::make_tuple(row.value, row.gap, row.seconds, row.atoms));
        return nb::make_tuple(static_cast<int>(ending), rows);
    }

   protected:
    Core core_;

   private:
    nb::list alive_;
};

// A loss of Python's: a function of z that returns value, residual and curvature.
class PythonLoss : public SmoothLoss {
   public:
    PythonLoss(nb::callable fn, bool is_quadratic, bool with_intercept) : fn_(std::move(fn)) {
        quadratic = is_quadratic, intercept = with_intercept;
    }
    ~PythonLoss() override {
        nb::gil_scoped_acquire held;
        fn_.reset();
    }
    double pieces(Span<const double> z, double* r, double* c) override {
        nb::gil_scoped_acquire held;
        const std::size_t n = static_cast<std::size_t>(z.size);
        nb::ndarray<nb::numpy, const double, nb::ndim<1>> seen(z.data, {n}, nb::handle());
        nb::tuple answer = nb::cast<nb::tuple>(fn_(nb::cast(seen, nb::rv_policy::copy)));
        const auto residual = nb::cast<Vector<const double>>(answer[1]), curvature = nb::cast<Vector<const double>>(answer[2]);
        expect(residual.shape(0) == n && curvature.shape(0) == n, "a loss answered with arrays of another length");
        std::copy(residual.data(), residual.data() + n, r);
        std::copy(curvature.data(), curvature.data() + n, c);
        return nb::cast<double>(answer[0]);
    }

   private:
    nb::callable fn_;
};

// (kind, parameter, y, p), or a function.
inline std::unique_ptr<SmoothLoss> any_loss(const nb::object& given, Index n, bool quadratic, bool intercept, nb::list& alive) {
    if (nb::isinstance<nb::tuple>(given)) return named_loss(nb::cast<nb::tuple>(given), n, intercept, alive);
    return std::make_unique<PythonLoss>(nb::cast<nb::callable>(given), quadratic, intercept);
}

}  // namespace greedyhull
